/**
 * Where in a message ids, enumerations and counts of the protocol stand, by the object that they stand in. What is not
 * listed here is text, whatever it is called: `type` in the input of a tool is the tool's, and `id` in the headers of a
 * server is a secret.
 */
export interface Shape {
  /** Members that are shown: a string that looks like an id, a number. */
  shown: ReadonlySet<string>;
  /** Members that are looked into, and what they then are. An array is its entries. */
  into: Readonly<Record<string, ShapeName>>;
  /** Every member is looked into as this, whatever its name. */
  each?: ShapeName | undefined;
}
export type ShapeName = keyof typeof SHAPES;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const of = <N extends string = never>(
  shown: string,
  into: Record<string, N> = {},
): { shown: ReadonlySet<string>; into: Record<string, N> } => ({
  shown: words(shown),
  into,
});

const SETTINGS = {
  modes: 'modes',
  models: 'models',
  configOptions: 'configOption',
  availableCommands: 'command',
} as const;

export const SHAPES = {
  message: of('jsonrpc method id', { result: 'result', error: 'error' }),
  /** Of a method that the protocol does not have. */
  foreign: of('sessionId requestId'),
  params: of(
    'sessionId requestId toolCallId terminalId modeId modelId configId methodId elicitationId messageId protocolVersion mode ' +
      'type line limit outputByteLimit archived cursor state',
    {
      update: 'update',
      toolCall: 'tool',
      subject: 'subject',
      options: 'option',
      prompt: 'block',
      clientCapabilities: 'capabilities',
      capabilities: 'capabilities',
      clientInfo: 'info',
      info: 'info',
      mcpServers: 'typed',
      replayFrom: 'typed',
      systemPrompt: 'typed',
    },
  ),
  result: of(
    'sessionId stopReason protocolVersion terminalId messageId action nextCursor exitCode signal truncated status state outcome',
    {
      ...SETTINGS,
      outcome: 'outcome',
      agentCapabilities: 'capabilities',
      capabilities: 'capabilities',
      agentInfo: 'info',
      info: 'info',
      authMethods: 'login',
      sessions: 'listed',
      exitStatus: 'exit',
      usage: 'usage',
    },
  ),
  error: of('code', { data: 'errorData' }),
  errorData: of('requested supported sessionId', { authMethods: 'login' }),
  outcome: of('outcome optionId'),
  update: of(
    'sessionUpdate sessionId toolCallId messageId terminalId planId compactionId kind status state stopReason severity type ' +
      'currentModeId modeId used size',
    {
      ...SETTINGS,
      content: 'block',
      locations: 'location',
      entries: 'entry',
      plan: 'plan',
      usage: 'usage',
      cost: 'cost',
      error: 'error',
      exitStatus: 'exit',
      background: 'background',
      capabilities: 'capabilities',
    },
  ),
  tool: of('toolCallId kind status', { content: 'block', locations: 'location' }),
  subject: of('type toolCallId terminalId', { toolCall: 'tool' }),
  block: of('type mimeType terminalId size', { content: 'block', resource: 'resource' }),
  resource: of('mimeType'),
  option: of('optionId kind'),
  location: of('line'),
  entry: of('status priority'),
  plan: of('type planId', { entries: 'entry' }),
  background: of('type terminalId toolCallId sessionId'),
  usage: of('totalTokens inputTokens outputTokens thoughtTokens cachedReadTokens cachedWriteTokens'),
  cost: of('amount currency'),
  exit: of('exitCode signal'),
  info: of('name version'),
  /** Markers and switches: whatever an agent calls them, their strings are told. */
  capabilities: { shown: words(''), into: {}, each: 'capabilities' as const },
  login: of('id methodId type'),
  listed: of('sessionId archived'),
  typed: of('type mode'),
  command: of('type'),
  modes: of('currentModeId', { availableModes: 'identified', modes: 'identified' }),
  models: of('currentModelId', { availableModels: 'identified', models: 'identified' }),
  identified: of('id modeId modelId'),
  /** The choices of a selection are ids. What stands in any other kind of option is text. */
  configOption: of('id configId category type', { options: 'choice' }),
  choice: of('value group groupId', { options: 'choice' }),
};
