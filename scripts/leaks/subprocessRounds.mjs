/**
 * Connect, turn, close over real subprocesses, one row per way to go wrong: `behaviour` is that of fixtures/agents/agent.mjs,
 * `expects` what the caller must be told, so that a round which fails early is not taken for one that left nothing.
 */
const told = (promise) =>
  promise.then(
    (value) => value.outcome ?? 'connected',
    (error) => error.kind ?? error.name,
  );

/** One turn to its end. `waits`: the library is to close by itself; else we do. Tells both ends. */
const turn =
  ({ prompt = 'do it', budget, options, act, waits = false } = {}) =>
  async (round) => {
    const { connect, watch, signal } = round;
    const agent = await connect(typeof options === 'function' ? options(round) : options);
    const session = watch(await agent.newSession({ signal }));
    const running = watch(session.prompt(prompt, { signal, budget }));
    await act?.({ agent, turn: running });
    const outcome = await told(running.result);
    if (waits) await agent.closed;
    await agent.close();
    return `${outcome}, ${agent.closeReason}`;
  };

const refused =
  (options) =>
  ({ connect }) =>
    told(connect(options));

const SHORT = { idleMs: 150 };
const DIES = { expects: 'agent-exited, agent-exited', run: turn({ waits: true }) };
const DONE = { expects: 'completed, closed', run: turn() };
const never = () => new Promise(() => {});

export const rounds = [
  { name: 'all goes well', behaviour: 'answers', ...DONE },
  {
    name: 'closed before any session',
    behaviour: 'answers',
    expects: 'closed',
    run: async ({ connect }) => {
      const agent = await connect();
      await agent.close();
      return agent.closeReason;
    },
  },
  {
    name: 'closed in mid-turn',
    behaviour: 'hangs',
    expects: 'closed, closed',
    run: turn({ act: ({ agent }) => void agent.close() }),
  },
  {
    name: 'closed by its signal',
    behaviour: 'hangs',
    expects: 'closed, closed',
    run: async (round) => {
      const own = new AbortController();
      return turn({ options: { signal: own.signal }, act: () => own.abort(), waits: true })(round);
    },
  },
  { name: 'exits in mid-turn', behaviour: 'exitsMidTurn', ...DIES },
  { name: 'is killed in mid-turn', behaviour: 'crashesMidTurn', ...DIES },
  {
    name: 'answers, then exits',
    behaviour: 'lastWords',
    expects: 'completed, agent-exited',
    run: turn({ waits: true }),
  },
  {
    name: 'hangs in mid-turn',
    behaviour: 'hangs',
    expects: 'idle, cancel-unconfirmed',
    run: turn({ budget: SHORT, waits: true }),
  },
  { name: 'ignores the end of stdin', behaviour: 'ignoresEnd', ...DONE },
  { name: 'ignores that and SIGTERM', behaviour: 'ignoresEndAndTerm', ...DONE },
  { name: 'exits, its child holds on', behaviour: 'leavesGrandchild', ...DIES },
  { name: 'and the child ignores TERM', behaviour: 'leavesStubbornGrandchild', ...DIES },
  { name: 'floods stderr', behaviour: 'floodsStderr', ...DONE },
  {
    name: 'floods, is cancelled',
    behaviour: 'floodsUpdates',
    expects: 'cancel-unconfirmed, cancel-unconfirmed',
    run: turn({
      act: async ({ turn: running }) => {
        let seen = 0;
        for await (const { kind } of running) if (kind === 'text' && ++seen === 500) break;
        await running.cancel();
      },
      waits: true,
    }),
  },
  {
    name: 'floods a reader that stops',
    behaviour: 'floodsUpdates',
    expects: 'closed, closed',
    run: turn({
      act: async ({ agent, turn: running }) => {
        await running[Symbol.asyncIterator]().next();
        void agent.close();
      },
    }),
  },
  {
    name: 'floods garbage',
    behaviour: 'floodsGarbage',
    expects: 'idle, cancel-unconfirmed',
    run: turn({ budget: SHORT, waits: true }),
  },
  {
    name: 'never ends its line',
    behaviour: 'neverEndsLine',
    expects: 'frame-too-large, frame-too-large',
    run: turn({ options: { maxFrameBytes: 256 * 1024 }, waits: true }),
  },
  { name: 'closes stdout', behaviour: 'closesStdout', ...DIES },
  {
    name: 'stops reading stdin',
    behaviour: 'stopsReading',
    expects: 'write-timeout, write-timeout',
    run: turn({ prompt: 'p'.repeat(1024 * 1024), options: { writeTimeoutMs: 150 }, waits: true }),
  },
  {
    name: 'asks, and is answered',
    behaviour: 'asks',
    expects: 'completed, closed',
    run: turn({ options: ({ policy }) => ({ permissions: policy.unattended({ select: 'allow_once' }) }) }),
  },
  {
    name: 'asks, nobody answers in time',
    behaviour: 'asks',
    expects: 'completed, closed',
    run: turn({ options: ({ policy }) => ({ permissions: policy.ask(never, { timeoutMs: 50 }) }) }),
  },
  {
    name: 'asks, and we close',
    behaviour: 'asks',
    expects: 'closed, closed',
    run: turn({
      options: ({ policy }) => ({ permissions: policy.ask(never) }),
      act: async ({ agent }) => {
        await new Promise((asked) => agent.on('permission', asked));
        void agent.close();
      },
    }),
  },
  { name: 'refuses initialize', behaviour: 'refusesInitialize', expects: 'agent-error', run: refused() },
  { name: 'speaks another version', behaviour: 'speaksVersion9', expects: 'version-unsupported', run: refused() },
  { name: 'dies in initialize', behaviour: 'diesInInitialize', expects: 'agent-exited', run: refused() },
  { name: 'dies at once', behaviour: 'diesAtOnce', expects: 'agent-exited', run: refused() },
  { name: 'hangs in initialize', behaviour: 'hangsInInitialize', expects: 'idle', run: refused({ budget: SHORT }) },
  {
    name: 'talks through initialize',
    behaviour: 'talksInInitialize',
    expects: 'absolute',
    run: refused({ budget: { idleMs: 60_000, absoluteMs: 600 } }),
  },
  {
    name: 'connect is aborted',
    behaviour: 'hangsInInitialize',
    expects: 'AbortError',
    run: (round) => {
      const own = new AbortController();
      setTimeout(() => own.abort(), 30);
      return refused({ signal: own.signal })(round);
    },
  },
  {
    name: 'its budget was spent before',
    behaviour: 'hangsInInitialize',
    expects: 'absolute, absolute',
    run: async (round) => {
      const budget = round.budget({ absoluteMs: 100 });
      return `${await refused({ budget })(round)}, ${await refused({ budget })(round)}`;
    },
  },
  {
    name: 'there is no such command',
    behaviour: 'answers',
    expects: 'spawn-failed',
    run: refused({ command: '/no/such/agent' }),
  },
];
