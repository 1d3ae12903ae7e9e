/**
 * The real agents and how to start them without an account: a private home, files in it, dummy keys, and the mock model
 * server as their provider. README.md says how to add one.
 */

const local = (port) => `http://127.0.0.1:${port}`;

/** Both codex adapters wrap the same program and read the same file. */
const codex = {
  bin: 'codex-acp',
  args: [],
  env: (home) => ({
    CODEX_HOME: `${home}/.codex`,
    NO_BROWSER: '1',
    MOCK_API_KEY: 'dummy',
    MODEL_PROVIDER: 'mock',
    // The default mode lets a model approve in the client's place: then it would never ask.
    INITIAL_AGENT_MODE: 'read-only',
  }),
  files: (port) => ({
    '.codex/config.toml': `
model = "mock-model"
model_provider = "mock"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[model_providers.mock]
name = "Mock"
base_url = "${local(port)}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
`,
  }),
};

/**
 * name: its folder under .agents/ · package: exact version · bin, args: what is started · env(home, port), files(port): of
 * the private home · authMethod: sent first, where it wants one · versions: offers to run with, one run each ·
 * unknownSession: codes that are right for loading an id that does not exist · loadsNextMinute: see gemini.
 */
export const recipes = [
  {
    name: 'codex-acp-zed',
    package: '@zed-industries/codex-acp@0.16.0',
    ...codex,
    versions: [[2, 1]],
    unknownSession: [-32002],
  },
  {
    name: 'codex-acp',
    package: '@agentclientprotocol/codex-acp@2.6.0',
    ...codex,
    versions: [[1], [2, 1]],
    unknownSession: [-32002, -32603],
  },
  {
    name: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    bin: 'gemini',
    args: ['--acp'],
    env: (_home, port) => ({
      GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: local(port),
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
    authMethod: 'gemini-api-key',
    versions: [[2, 1]],
    unknownSession: [-32603],
    // It names a session's file by the minute and the id: a load in the same minute overwrites what it wants to read.
    loadsNextMinute: true,
  },
];
