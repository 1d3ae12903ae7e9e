import { PendingTable } from '../src/rpc/pending.js';

const onAnswer = (): void => {};

function tableOf(count: number): PendingTable {
  const table = new PendingTable();
  for (let i = 0; i < count; i++) table.add(table.reserve(), onAnswer);
  return table;
}

describe('the pending table', () => {
  it('counts ids from 1, and never gives one twice', () => {
    const table = tableOf(3);
    expect([table.take(1), table.take(3)]).toEqual([onAnswer, onAnswer]);
    expect(table.reserve()).toBe(4);
  });

  it('gives a request once', () => {
    const table = tableOf(2);
    expect([table.take(2), table.take(2), table.take('2'), table.size]).toEqual([onAnswer, undefined, undefined, 1]);
  });

  it.each([1, '1', 1.0, 10, '10'])('knows its id as %j', (id) => {
    expect(tableOf(10).take(id)).toBe(onAnswer);
  });

  it.each(['01', ' 1', '1 ', '+1', '1.0', '1e0', '0x1', '', 'one', '\u0661', '-1', '0', 0, -1, 1.5, 11, '11', null])(
    'does not know %j',
    (id) => {
      const table = tableOf(10);
      expect(table.take(id)).toBeUndefined();
      expect(table.size).toBe(10);
    },
  );

  it('gives all that are left, oldest first', () => {
    const table = new PendingTable();
    const order: number[] = [];
    for (let i = 0; i < 4; i++) {
      const id = table.reserve();
      table.add(id, () => void order.push(id));
    }
    table.take(2);
    for (const settle of table.takeAll()) void settle({ kind: 'closed' });
    expect(order).toEqual([1, 3, 4]);
    expect([table.size, table.takeAll()]).toEqual([0, []]);
  });
});
