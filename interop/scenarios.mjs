/**
 * What every real agent must do with the library. A scenario gets a peer of its own and throws at the first thing that is not
 * as it should be. After each of them the peer is closed, and no process of its group may be left.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { AcpError, policy } from '../dist/index.js';
import { FILE, HELLO } from './mock-model.mjs';

const TURN = { idleMs: 30_000, absoluteMs: 60_000 };
const NO_SUCH_SESSION = '00000000-0000-4000-8000-000000000000';
const MINUTE_MS = 60_000;
const CHUNKS_BEFORE_CANCEL = 3;

const ask = (session, text) => session.prompt(text, { budget: TURN });
const writePrompt = (peer) => `[[write]] file=${peer.file(FILE)}`;

/** Some adapters mix warnings of their own into the text of the model. */
function saidHello(result) {
  assert.equal(result.stopReason, 'end_turn');
  assert.equal(result.outcome, 'completed');
  assert.equal(result.text.split(HELLO).length - 1, 1, `the answer once in ${JSON.stringify(result.text)}`);
}

async function stillThere(session) {
  saidHello(await ask(session, 'Still there?').result);
  assert.equal(session.state, 'idle');
}

async function text(peer) {
  const agent = await peer.connect();
  const session = await agent.newSession();
  const turn = ask(session, 'What is two plus two?');
  let streamed = '';
  for await (const update of turn) if (update.kind === 'text') streamed += update.text;
  const result = await turn.result;
  saidHello(result);
  assert.equal(streamed, result.text);
  assert.deepEqual(result.permissions, []);
}

async function allow(peer) {
  const onlyOnce = ({ options }) => options.find(({ kind }) => kind === 'allow_once')?.optionId;
  const agent = await peer.connect({ permissions: policy.ask(onlyOnce) });
  const session = await agent.newSession();
  const result = await ask(session, writePrompt(peer)).result;
  assert.equal(result.outcome, 'completed');
  assert.deepEqual(
    result.permissions.map(({ outcome, optionKind }) => [outcome, optionKind]),
    [['selected', 'allow_once']],
  );
  assert.ok(existsSync(peer.file(FILE)), 'the file was written');
}

async function deny(peer) {
  const agent = await peer.connect();
  const session = await agent.newSession();
  const result = await ask(session, writePrompt(peer)).result;
  assert.ok(['completed', 'cancelled'].includes(result.outcome), `ended as ${result.outcome}`);
  assert.ok(result.permissions.length > 0, 'it asked');
  assert.ok(result.permissions.every(({ outcome, cause }) => outcome === 'cancelled' && cause === 'policy'));
  assert.ok(!existsSync(peer.file(FILE)), 'no file was written');
  await stillThere(session);
}

async function cancel(peer) {
  const agent = await peer.connect();
  const session = await agent.newSession();
  const turn = ask(session, '[[slow]] count');
  let chunks = 0;
  for await (const update of turn) {
    if (update.kind === 'text' && ++chunks === CHUNKS_BEFORE_CANCEL) await turn.cancel();
  }
  const result = await turn.result;
  assert.equal(result.outcome, 'cancelled');
  assert.ok(result.cancelRequested);
  assert.doesNotMatch(result.text, /word100/);
  await stillThere(session);
}

async function cancelAsking(peer) {
  let asked;
  const wasAsked = new Promise((resolve) => (asked = resolve));
  const never = () => {
    asked();
    return new Promise(() => {});
  };
  const agent = await peer.connect({ permissions: policy.ask(never) });
  const session = await agent.newSession();
  const turn = ask(session, writePrompt(peer));
  await Promise.race([wasAsked, turn.result]);
  assert.equal(session.state, 'awaiting-permission');
  await turn.cancel();
  const result = await turn.result;
  assert.equal(result.outcome, 'cancelled');
  assert.deepEqual(
    result.permissions.map(({ outcome, cause }) => [outcome, cause]),
    [['cancelled', 'cancel']],
  );
  assert.ok(!existsSync(peer.file(FILE)), 'no file was written');
  await stillThere(session);
}

async function load(peer) {
  const first = await peer.connect();
  const session = await first.newSession();
  saidHello(await ask(session, 'What is two plus two?').result);
  await first.close();
  if (peer.recipe.loadsNextMinute) await nextMinute();

  const seen = [];
  const second = await peer.connect({ on: { update: (update, where) => void seen.push({ update, where }) } });
  const loaded = await second.loadSession(session.id);
  assert.equal(loaded.id, session.id);
  const before = seen.filter(({ update }) => update.kind === 'text');
  assert.ok(
    before.some(({ update }) => update.text.includes('Hello')),
    'the first answer was replayed',
  );
  assert.ok(
    before.every(({ where }) => where.phase === 'replay'),
    'and only as replay',
  );
  const live = await ask(loaded, 'And after the load?').result;
  saidHello(live);
  assert.doesNotMatch(live.text, /What is two plus two\?/);
  assert.equal(second.stats.lateUpdates, 0);
}

const nextMinute = () => new Promise((resolve) => setTimeout(resolve, MINUTE_MS - (Date.now() % MINUTE_MS)));

async function unknown(peer) {
  const agent = await peer.connect();
  await assert.rejects(agent.loadSession(NO_SUCH_SESSION), (error) => {
    assert.ok(error instanceof AcpError, String(error));
    assert.equal(error.kind, 'agent-error');
    assert.ok(peer.recipe.unknownSession.includes(error.agentCode), `code ${error.agentCode}`);
    return true;
  });
  saidHello(await ask(await agent.newSession(), 'Hello?').result);
}

async function close(peer) {
  const agent = await peer.connect();
  const session = await agent.newSession();
  const turn = ask(session, '[[slow]] count');
  for await (const update of turn) if (update.kind === 'text') break;
  const failed = assert.rejects(turn.result, { kind: 'closed' });
  await agent.close();
  await failed;
  assert.equal((await agent.closed).reason, 'closed');
  assert.equal(session.state, 'closed');
}

/** Whatever can be chosen is chosen otherwise, in the agent's own spelling, and it says that it is in effect. */
async function select(peer) {
  const agent = await peer.connect();
  const session = await agent.newSession();
  const choiceOf = (what) => session.options[`${what}s`];
  const chosen = {};
  // A model may bring efforts with it: what there is to choose is asked each time.
  for (const what of ['model', 'effort', 'mode']) {
    const { current, available } = choiceOf(what);
    const other = available.map(({ id }) => id).findLast((id) => id !== current);
    if (other === undefined) continue;
    assert.deepEqual(await session.select({ [what]: other }), { [what]: other });
    chosen[what] = other;
  }
  assert.ok(chosen.model !== undefined, 'there was a model to choose');
  for (const [what, value] of Object.entries(chosen)) assert.equal(choiceOf(what).current, value, `${what} in effect`);
  const offered = choiceOf('model').available.map(({ id }) => id);
  await assert.rejects(session.select({ model: 'no-such-model' }), (error) => {
    assert.deepEqual([error.kind, error.argument, error.offered], ['invalid-argument', 'model', offered]);
    return true;
  });
  peer.note(Object.entries(chosen).map(([what, value]) => `${what} ${value}`));
}

/** Words for the turn that runs: delivered where the agent advertises that it takes them, else not even tried. */
async function steer(peer) {
  const agent = await peer.connect();
  const session = await agent.newSession();
  const turn = ask(session, '[[slow]] count');
  for await (const update of turn) if (update.kind === 'text') break;
  const verdict = await turn.steer('And a word on the way.').catch(({ kind }) => kind);
  assert.ok(['delivered', 'capability-absent'].includes(verdict), `the verdict was ${verdict}`);
  peer.note([verdict]);
  await turn.cancel();
  assert.equal((await turn.result).outcome, 'cancelled');
}

/** Name in the table -> scenario, in order. */
export const scenarios = {
  'text turn': text,
  'permission allowed': allow,
  'permission denied': deny,
  'cancel midway': cancel,
  'cancel while asking': cancelAsking,
  'load with replay': load,
  'unknown session': unknown,
  'close midway': close,
  select,
  steer,
};
