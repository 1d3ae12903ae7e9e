/** The pages and pictures of docs/machines are what the machines that run say of themselves. */
import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chartOf, MACHINES } from '../src/inspect/chart.js';
import { toMermaid } from '../src/inspect/mermaid.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

describe('docs/machines', () => {
  it('is not stale: what npm run docs would write is what is there', async () => {
    const { stdout } = await run(process.execPath, ['scripts/docs.mjs', '--check'], { cwd: root });
    expect(stdout).toBe('docs/machines is up to date\n');
  }, 60_000);
});

describe.each(MACHINES.map((machine) => [machine.id, chartOf(machine)] as const))('the %s chart', (_id, chart) => {
  it('says of every state what it is for', () => {
    const silent = chart.states.slice(1).filter(({ description, type }) => !description && type !== 'compound');
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  it('names every guard and every effect', () => {
    const names = chart.edges.flatMap(({ guard, effects }) => [guard ?? 'none', ...effects]);
    expect(names.filter((name) => name === '' || name.includes('(') || name === 'undefined')).toEqual([]);
  });

  it('is drawn with every state and every edge', () => {
    const diagram = toMermaid(chart);
    for (const { id } of chart.states.slice(1)) expect(diagram).toContain(id.replaceAll('.', '_'));
    const arrows = chart.edges.reduce((sum, { to }) => sum + to.length, 0);
    expect(diagram.split('\n').filter((line) => line.includes(' --> ') && line.includes(' : '))).toHaveLength(arrows);
  });
});
