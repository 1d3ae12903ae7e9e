/** The agent that comes with the package, as a command. Put your own in its place: `{ command: 'codex-acp', args: [] }`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest = import.meta.resolve('acp-turnstile/package.json');
const { bin } = JSON.parse(readFileSync(fileURLToPath(manifest), 'utf8'));
const cli = fileURLToPath(new URL(bin['acp-turnstile'], manifest));

export const demoAgent = { command: process.execPath, args: [cli, 'demo-agent', '--pace', '5'] };
