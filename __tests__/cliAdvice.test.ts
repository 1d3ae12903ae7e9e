import { describe, expect, it } from '@jest/globals';
import { adviceFor } from '../src/cli/advice.js';
import { EXIT, EXIT_HELP, exitCodeOf } from '../src/cli/exitCodes.js';
import { acpError } from '../src/client/errors.js';
import type { Failure } from '../src/join/failure.js';

const BUDGET = { idleMs: 300_000, absoluteMs: 1_800_000, elapsedMs: 1, sinceLastFrameMs: 1 };
const EVIL = 'evil\u001b[2J\nid';
const CONTEXT = { agent: { command: 'no-such-agent', args: [] }, cwd: '/', verbose: false };

const CASES: readonly (readonly [Omit<Failure, 'phase'>, number, RegExp])[] = [
  [
    { kind: 'invalid-argument', argument: 'model', offered: ['a', EVIL] },
    1,
    /^--model: the agent offers a, evil id\.$/,
  ],
  [{ kind: 'capability-absent', capability: 'loadSession' }, 1, /leave out --load/],
  [{ kind: 'auth-required', authMethods: [] }, 3, /names no method: log in/],
  [{ kind: 'agent-error', agentCode: -32603 }, 5, /--verbose/],
  [{ kind: 'busy', state: 'background' }, 5, /try again later/],
  [{ kind: 'idle', budget: { ...BUDGET, bound: 'idle' } }, 6, /5m \(--idle\)/],
  [{ kind: 'absolute', budget: { ...BUDGET, bound: 'absolute' } }, 6, /30m in all \(--max\)/],
  [{ kind: 'request-limit', budget: { ...BUDGET, bound: 'request-limit' } }, 6, /--idle 5m/],
  [{ kind: 'write-timeout' }, 6, /does not read/],
  [{ kind: 'cancel-unconfirmed' }, 6, /did not confirm/],
  [{ kind: 'spawn-failed' }, 7, /^no-such-agent: command not found\.$/],
  [{ kind: 'agent-exited', exit: { code: 1, signal: null } }, 7, /stderr/],
  [{ kind: 'io' }, 7, /pipe/],
  [{ kind: 'frame-too-large' }, 7, /at fault/],
  [{ kind: 'protocol' }, 7, /at fault/],
  [{ kind: 'version-unsupported' }, 7, /--protocol 1/],
  [{ kind: 'scope-mismatch' }, 7, /mixes sessions/],
  [{ kind: 'closed', reason: 'agent-exited' }, 7, /because of agent-exited/],
  [{ kind: 'closed', reason: 'cancel-unconfirmed' }, 6, /because of cancel-unconfirmed/],
  [{ kind: 'illegal-transition', state: 'closed' }, 70, /report it/],
];

describe('a failure', () => {
  it.each(CASES)('%j exits with %i and has a next step of one line', (failure, exitCode, says) => {
    const error = acpError({ ...failure, phase: 'turn' });
    expect(exitCodeOf(error)).toBe(exitCode);
    expect(adviceFor(error, CONTEXT)).toMatch(says);
    expect(adviceFor(error, CONTEXT)).not.toMatch(/\p{Cc}/u);
  });

  it('of the handshake asks whether the command is an agent at all, and exits as one that is none', () => {
    const error = acpError({ kind: 'agent-error', agentCode: -32601, phase: 'initialize' });
    expect([exitCodeOf(error), adviceFor(error, CONTEXT)]).toEqual([7, expect.stringContaining('speak ACP?')]);
  });

  it('for want of a login names each method and how it is used', () => {
    const authMethods = [
      { id: 'tty', type: 'terminal', name: '', raw: {} },
      { id: 'env', type: 'env_var', name: '', raw: { vars: [{ name: 'KEY' }, null, { name: 7 }] } },
      { id: EVIL, type: 'agent', name: '', raw: null },
    ];
    expect(adviceFor(acpError({ kind: 'auth-required', phase: 'session', authMethods }), CONTEXT)).toBe(
      "Its methods: tty (in a terminal of yours), env (set KEY), evil id. Here: add `--auth env`, or log in with the agent's own command line.",
    );
  });
});

describe('the help', () => {
  it('lists every exit code', () => {
    const listed = [...EXIT_HELP.matchAll(/\b\d+\b/g)].map(([code]) => Number(code));
    expect(listed).toEqual(expect.arrayContaining(Object.values(EXIT)));
  });
});
