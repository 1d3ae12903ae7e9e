/** What it takes to import a package, in a process that has imported nothing else; and ours to connect for the first time. */
import { memoryAgent, opening } from '../memoryAgent.mjs';

export async function measure(_driver, _agent, { specifier, connects }) {
  const began = performance.now();
  const imported = specifier === undefined ? undefined : await import(specifier);
  const importMs = performance.now() - began;
  if (!connects) return { importMs };
  // What an import leaves to the first connect is not for nothing.
  await imported.connect({ client: { name: 'bench', version: '1.0.0' }, transport: memoryAgent(opening(() => {})) });
  return { importMs, connectMs: performance.now() - began };
}
