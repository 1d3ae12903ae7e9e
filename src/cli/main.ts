#!/usr/bin/env node
import { EXIT } from './exitCodes.js';
import { runCli } from './program.js';

/** By a signal, or with nobody left to read: what is still to be written is not waited for. */
const AT_ONCE: ReadonlySet<number> = new Set([EXIT.hangup, EXIT.brokenPipe, EXIT.terminated]);

try {
  const code = await runCli(process.argv.slice(2));
  process.exitCode = code;
  if (AT_ONCE.has(code)) process.exit();
} catch (error) {
  console.error('acp-turnstile: a fault of its own:', error);
  process.exitCode = EXIT.internal;
}
