import { createRequire } from 'node:module';

/** By the package's own name: it is found wherever the compiled files stand in it. */
const manifest = createRequire(import.meta.url)('acp-turnstile/package.json') as { version: string };

export const VERSION = manifest.version;

/** What the command line calls itself before an agent. */
export const CLIENT_NAME = 'acp-turnstile';
