import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { processGroup } from '../src/process/group.js';
import { findLiveMember, parseStat } from '../src/process/procfs.js';
import { pollUntilGone } from '../src/process/untilGone.js';
import { isRunning, killStarted, shell, until } from './support/agents.js';
import { manualClock, settle } from './support/manualClock.js';

jest.setTimeout(30_000);
afterEach(killStarted);

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('a process group', () => {
  it('whose number was given to a stranger is gone, and the stranger is left alone', async () => {
    const { agent, line } = shell('trap "" TERM; echo ready >&2; sleep 1000');
    await line;
    const pid = agent.pid ?? 0;
    let told = 0;
    let reaped = true;
    const recycled = processGroup({ pid, leaderExited: () => reaped, onGone: () => told++ });
    expect(recycled.alive()).toBe(false);
    reaped = false;
    expect(recycled.alive()).toBe(false);
    expect(recycled.signal('SIGKILL')).toBe(false);
    expect(isRunning(pid)).toBe(true);
    expect(told).toBe(1);
  });

  it('is alive until the exit of its leader is known, whatever the system says', async () => {
    const { agent, exited } = shell('exit 0');
    await exited;
    const group = processGroup({ pid: agent.pid ?? 0, leaderExited: () => false, onGone: () => {} });
    expect([group.alive(), group.signal('SIGTERM')]).toEqual([true, false]);
    expect(agent.groupAlive()).toBe(false);
  });
});

describe('the search for a live member of a group', () => {
  onLinux('finds one by itself and by a hint, good or bad', async () => {
    const { agent, line } = shell('sleep 1000 & echo $! >&2; wait');
    const [leader, child] = [agent.pid ?? 0, Number(await line)];
    expect([leader, child]).toContain(findLiveMember(leader));
    expect(findLiveMember(leader, child)).toBe(child);
    expect([leader, child]).toContain(findLiveMember(leader, process.pid));
  });

  onLinux('finds only the dead where the last member is a zombie', async () => {
    // `sleep` takes the shell's place and never reaps: the leader of the second group stays a zombie.
    const { line } = shell(`setsid sh -c 'echo $$ >&2' & exec sleep 1000`);
    const pid = Number(await line);
    await until(() => findLiveMember(pid) === 'dead');
    expect(process.kill(-pid, 0)).toBe(true);
  });

  onLinux('does not take what it cannot see for dead', () => {
    expect(findLiveMember(2 ** 30)).toBe('unknown');
  });
});

describe('a line of /proc/N/stat', () => {
  const rest = (threads: number): string => `1 42 42 0 -1 4194304 101 0 0 0 0 0 0 0 20 0 ${threads} 0 61155 3133440`;

  it.each([
    ['a running process               ', `7 (cat) R ${rest(1)}`, { group: 42, dead: false }],
    ['a sleeping one                  ', `7 (cat) S ${rest(1)}`, { group: 42, dead: false }],
    ['a stopped one                   ', `7 (cat) T ${rest(1)}`, { group: 42, dead: false }],
    ['a zombie                        ', `7 (cat) Z ${rest(1)}`, { group: 42, dead: true }],
    ['a zombie with living threads    ', `7 (cat) Z ${rest(3)}`, { group: 42, dead: false }],
    ['a dead one                      ', `7 (cat) X ${rest(0)}`, { group: 42, dead: true }],
    ['a name that imitates the fields ', `7 (a) Z 1 9 (b) R ${rest(1)}`, { group: 42, dead: false }],
    ['a name with a closing bracket   ', `7 (a) b)) Z ${rest(1)}`, { group: 42, dead: true }],
    ['nothing                         ', '', undefined],
  ])('is read for what it says of %s', (_, text, expected) => {
    expect(parseStat(text)).toEqual(expected);
  });
});

describe('the wait for a group to go', () => {
  it('looks at growing intervals of 20 to 100 ms, tells once, and leaves no timer', async () => {
    const clock = manualClock();
    const looks: number[] = [];
    let alive = true;
    let told = 0;
    const look = (): boolean => {
      looks.push(clock.now());
      return alive;
    };
    pollUntilGone(look, clock, () => told++);
    expect(looks).toEqual([]);
    await clock.run(2_000);
    const gaps = looks.slice(1).map((at, i) => at - (looks[i] ?? 0));
    expect([looks[0], gaps[0], gaps.at(-1)]).toEqual([0, 20, 100]);
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
    alive = false;
    await clock.run(1_000);
    expect([told, clock.pending()]).toEqual([1, 0]);
  });

  it('never tells before it has returned, even of a group that is gone already', async () => {
    const clock = manualClock();
    let told = 0;
    pollUntilGone(
      () => false,
      clock,
      () => told++,
    );
    expect(told).toBe(0);
    await settle();
    expect([told, clock.pending()]).toEqual([1, 0]);
  });

  it('does not tell after it was stopped, before or after its first look', async () => {
    const clock = manualClock();
    let alive = true;
    let told = 0;
    pollUntilGone(
      () => false,
      clock,
      () => told++,
    ).stop();
    const poll = pollUntilGone(
      () => alive,
      clock,
      () => told++,
    );
    await settle();
    poll.stop();
    alive = false;
    poll.look();
    await clock.run(1_000);
    expect([told, clock.pending()]).toEqual([0, 0]);
  });
});
