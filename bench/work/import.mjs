/** What it takes to import a package, in a process that has imported nothing else. */
export async function measure(_driver, _agent, { specifier }) {
  const began = performance.now();
  if (specifier !== undefined) await import(specifier);
  return { importMs: performance.now() - began };
}
