/**
 * What the mock model says. A marker in the newest text of the user picks the answer, where the request offers tools:
 *
 *   [[write]] file=/abs/path   a call of the tool that writes a file (codex: a patch that adds mock-out.txt)
 *   [[slow]]                   120 words, one every 250 ms
 *   anything else              a short text
 *
 * A tool result after that text gets the closing words. Requests without tools (titles, summaries) get a title.
 */
export const HELLO = 'Hello from the mock model. Two plus two is four.';
export const AFTER_TOOL = 'The tool step is finished. Mock turn over.';
export const FILE = 'mock-out.txt';

const BEFORE_TOOL = 'I will use a tool. ';
const CONTENT = 'written by the mock model\n';
const PATCH = `*** Begin Patch\n*** Add File: ${FILE}\n+written by the mock model\n*** End Patch`;
const SLOW_WORDS = 120;
const SLOW_MS = 250;
const WRITERS = ['write_file', 'write', 'Write', 'write_to_file', 'create_file', 'apply_patch'];
const SHELLS = ['exec_command', 'shell_command', 'shell'];

/**
 * @param tools [{ name, schema, freeform? }] as the request offers them
 * @param items [{ role: 'user' | 'tool' | 'assistant', text }] the conversation, oldest first
 * @returns {{ text: string, paceMs: number, call?: { tool, args } }}
 */
export function answerTo(tools, items) {
  const last = items.findLastIndex(({ role, text }) => role === 'user' && bare(text) !== '');
  const asked = last < 0 ? '' : bare(items[last].text);
  const toolDone = items.slice(last + 1).some(({ role }) => role === 'tool');
  const says = (text, rest = {}) => ({ text, paceMs: 0, ...rest });
  if (tools.length === 0) return says('Mock title');
  if (toolDone) return says(AFTER_TOOL);
  if (asked.includes('[[slow]]')) {
    return says(Array.from({ length: SLOW_WORDS }, (_, i) => `word${i} `).join(''), { paceMs: SLOW_MS });
  }
  if (!asked.includes('[[write]]')) return says(HELLO);
  const call = writeCall(tools, /file=(\S+)/.exec(asked)?.[1] ?? FILE);
  return call
    ? says(BEFORE_TOOL, { call })
    : says(`No tool to write with: ${tools.map(({ name }) => name).join(', ')}`);
}

export const wordsOf = (text) => text.match(/\S+\s*/g) ?? [];

/** Agents put their own context into the user's text, as <tagged> blocks. */
const bare = (text) => text.replace(/<([\w-]+)[^>]*>[\s\S]*?<\/\1>/g, '').trim();

function writeCall(tools, file) {
  const named = (names) => tools.find(({ name }) => names.includes(name));
  const tool = named(WRITERS);
  if (tool?.freeform) return { tool, args: `${PATCH}\n` };
  if (tool) return { tool, args: argumentsFor(tool.schema, file) };
  // codex takes a patch out of a shell command and asks about it as a change of files.
  const shell = named(SHELLS);
  if (!shell) return undefined;
  const command = `apply_patch <<'EOF'\n${PATCH}\nEOF`;
  const { cmd, command: member } = shell.schema?.properties ?? {};
  if (cmd) return { tool: shell, args: { cmd: command } };
  return { tool: shell, args: { command: member?.type === 'array' ? ['bash', '-lc', command] : command } };
}

function argumentsFor(schema = {}, file) {
  const args = {};
  for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
    if (/path|^file$/i.test(name)) args[name] = file;
    else if (/content|text/i.test(name)) args[name] = CONTENT;
    else if (/^(input|patch)$/.test(name)) args[name] = PATCH;
    else if (schema.required?.includes(name))
      args[name] = type === 'boolean' ? false : /number|integer/.test(type) ? 1 : 'mock';
  }
  return args;
}
