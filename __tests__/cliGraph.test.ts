/** `acp-turnstile graph` draws the charts that run. */
import { describe, expect, it } from '@jest/globals';
import { chartOf, MACHINES } from '../src/inspect/chart.js';
import { runCli } from '../src/cli/program.js';

async function printed(...args: string[]): Promise<{ code: number; text: string }> {
  const write = process.stdout.write.bind(process.stdout);
  let text = '';
  process.stdout.write = (chunk: string) => {
    text += chunk;
    return true;
  };
  try {
    const code = await runCli(args);
    return { code, text };
  } finally {
    process.stdout.write = write;
  }
}

describe('graph', () => {
  it('prints one chart as Mermaid, or all as JSON lines', async () => {
    const one = await printed('graph', 'turn');
    expect(one.code).toBe(0);
    expect(one.text).toMatch(/^stateDiagram-v2\n/);
    const all = await printed('graph', '--format', 'json');
    const charts = all.text
      .trim()
      .split(/\n+/)
      .map((line) => JSON.parse(line) as unknown);
    expect(charts).toEqual(MACHINES.map((machine) => JSON.parse(JSON.stringify(chartOf(machine))) as unknown));
  });
});
