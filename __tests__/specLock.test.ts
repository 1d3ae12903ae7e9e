/** Which protocol section each module follows, checked against the schemas of the dev dependency. */
import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

it('The published schemas are the ones that the modules were written to, region by region', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/spec-lock.mjs'], { cwd: root });
  expect(stdout).toMatch(/^15 regions as locked to @agentclientprotocol\/sdk@2\.4\.0\n$/);
});
