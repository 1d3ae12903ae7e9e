/**
 * What stands beside the compiled files in this package. It is found by the package's own name: which file a module is
 * compiled into, and how deep that lies, is the build's to say.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const NAME = 'acp-turnstile';
const require = createRequire(import.meta.url);
const path = require.resolve(`${NAME}/package.json`);
const manifest = require(path) as { version: string; bin: Record<typeof NAME, string> };

export const VERSION = manifest.version;

/** Of the package, by its path from the top. */
export const ownFile = (name: string): string => join(dirname(path), name);

/** The command line, to be run by Node. */
export const ownCli = (): string => ownFile(manifest.bin[NAME]);
