/** The stock XState inspector, over a real WebSocket: it is shown the tree that runs. */
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createWebSocketInspector,
  createWebSocketReceiver,
  type StatelyActorEvent,
  type StatelyInspectionEvent,
} from '@statelyai/inspect';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { connect, policy } from '../src/index.js';
// What `connect` loads when it is first called: that is not to take of a test's time.
import '../src/join/hub.js';
import { until } from './support/agents.js';
import { clearUp, demoAgent, folder } from './support/cli.js';

afterEach(clearUp);

/** What the stock receiver connects to: it passes on what the inspector sends. */
async function relay(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (from) => {
    from.on('message', (data: Buffer) => {
      for (const to of server.clients) if (to !== from) to.send(data.toString());
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('connect({ inspect })', () => {
  it('shows @statelyai/inspect the true tree of connection, process, session and turn', async () => {
    const { url, close } = await relay();
    const events: StatelyInspectionEvent[] = [];
    const receiver = createWebSocketReceiver({ server: url });
    receiver.subscribe((event) => void events.push(event));
    const inspector = createWebSocketInspector({ url });
    try {
      const [command = '', ...args] = await demoAgent();
      const agent = await connect({
        command,
        args,
        cwd: folder(),
        client: { name: 'test', version: '0' },
        inspect: inspector.inspect,
        permissions: policy.unattended({ select: 'allow_once' }),
      });
      const session = await agent.newSession();
      const { outcome } = await session.prompt('Make a plan, then write a file.').result;
      expect(outcome).toBe('completed');
      await session.close();
      await agent.close();
      const actors = (): StatelyActorEvent[] =>
        events.filter((event): event is StatelyActorEvent => event.type === '@xstate.actor');
      const statusOf = (id: string | undefined): unknown =>
        events
          .flatMap((event) => (event.type === '@xstate.snapshot' && event.sessionId === id ? [event.snapshot] : []))
          .map(({ status }) => status)
          .at(-1);
      await until(() => statusOf(actors().find(({ parentId }) => parentId === undefined)?.sessionId) === 'done');

      const byName = new Map(actors().map((actor) => [actor.parentId === undefined ? 'root' : actor.name, actor]));
      const root = byName.get('root');
      const named = (name: string): StatelyActorEvent => byName.get(name)!;
      expect([...byName.keys()].sort()).toEqual(['process', 'root', 'session.1', 'turn']);
      expect(named('process').parentId).toBe(root?.sessionId);
      expect(named('session.1').parentId).toBe(root?.sessionId);
      expect(named('turn').parentId).toBe(named('session.1').sessionId);
      const charts = ['root', 'process', 'session.1', 'turn'].map((name) => {
        const { id } = JSON.parse(named(name).definition ?? '{}') as { id?: string };
        return id;
      });
      expect(charts).toEqual(['connection', 'process', 'session', 'turn']);

      const received = (name: string): string[] =>
        events.flatMap((event) =>
          event.type === '@xstate.event' && event.sessionId === named(name).sessionId ? [event.event.type] : [],
        );
      expect(received('root')).toEqual(expect.arrayContaining(['agent.initialized', 'user.openSession', 'user.close']));
      expect(received('session.1')).toEqual(
        expect.arrayContaining(['user.prompt', 'agent.permission', 'user.decide', 'user.close']),
      );
      expect(received('turn')).toEqual(expect.arrayContaining(['agent.working', 'agent.idle']));
      for (const name of ['root', 'process', 'session.1', 'turn']) expect(statusOf(named(name).sessionId)).toBe('done');
      // What was said is in frames, never in a chart.
      expect(JSON.stringify(events)).not.toContain('Make a plan');
    } finally {
      inspector.stop();
      await close();
    }
  }, 30_000);
});
