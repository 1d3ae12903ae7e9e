/** `acp-turnstile graph` draws the charts that run. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { chartOf, MACHINES } from '../src/inspect/chart.js';
import { CHART_NAMES } from '../src/cli/graph.js';
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
    const all = await printed('graph', '--json');
    expect((await printed('graph', '--format', 'json')).text).toBe(all.text);
    const charts = all.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(charts).toEqual(MACHINES.map((machine) => JSON.parse(JSON.stringify(chartOf(machine))) as unknown));
  });

  it('prints the picture of one chart, as the docs of the package have it', async () => {
    for (const { id } of MACHINES) {
      const { code, text } = await printed('graph', id, '--format', 'svg');
      expect([code, text]).toEqual([0, readFileSync(`docs/machines/${id}.svg`, 'utf8')]);
    }
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({
      files: expect.arrayContaining(['docs']) as unknown,
    });
  });

  it('does not print several pictures in one, and says how to name one', async () => {
    const { code, text } = await printed('graph', '--format', 'svg');
    expect([code, text]).toEqual([1, '']);
  });

  it('knows the names of the charts before it loads them', () => {
    expect([...CHART_NAMES]).toEqual(MACHINES.map(({ id }) => id));
  });
});
