/** Ways to break the library from outside, each of which the simulation must find. */
import { Early } from '../../../src/join/early.js';
import { Listeners } from '../../../src/join/listeners.js';
import { Questions } from '../../../src/join/questions.js';
import { Seats } from '../../../src/join/seats.js';
import { Turns } from '../../../src/join/turns.js';
import { TurnReader } from '../../../src/join/reader.js';
import { Watch } from '../../../src/policy/watch.js';
import { OpenRequests } from '../../../src/rpc/incoming.js';
import { PendingTable } from '../../../src/rpc/pending.js';

export interface Bug {
  name: string;
  /** Words of the violation that it must be found by: one of these. */
  found: RegExp;
  /** Breaks it; gives what mends it again. */
  apply(): () => void;
}

type Method = (this: any, ...args: any[]) => any;

/** Puts `broken` in the place of a method, and hands it the method. */
function instead(of: { prototype: object }, name: string, broken: (real: Method) => Method): () => void {
  const prototype = of.prototype as Record<string, Method>;
  const real = prototype[name];
  if (typeof real !== 'function') throw new Error(`there is no ${name} to break`);
  prototype[name] = broken(real);
  return () => void (prototype[name] = real);
}

export const BUGS: readonly Bug[] = [
  {
    name: 'an answer to a permission is dropped',
    found: /not answered|open past/,
    apply: () =>
      instead(
        Questions,
        'answerCancelled',
        (real) =>
          function (serials, cause) {
            if (cause !== 'cancel' && cause !== 'bound') real.call(this, serials, cause);
          },
      ),
  },
  {
    name: 'a request is answered twice',
    found: /answered a request twice/,
    apply: () =>
      instead(
        OpenRequests,
        'accept',
        (real) =>
          function (id, method, params) {
            const request = real.call(this, id, method, params);
            if (method !== 'session/request_permission' || Number(id) % 3 !== 0) return request;
            const twin = real.call(this, id, method, params);
            const respond = request.respond.bind(request);
            request.respond = (result: unknown) => {
              respond(result);
              twin.respond(result);
            };
            return request;
          },
      ),
  },
  {
    name: 'a cancelled permission is answered by its first option',
    found: /selected/,
    apply: () =>
      instead(
        Questions,
        'answerCancelled',
        (real) =>
          function (serials, cause) {
            if (cause !== 'cancel') return real.call(this, serials, cause);
            for (const serial of serials) this.answerSelected(serial, `o-${serial}-0`);
          },
      ),
  },
  {
    name: 'a cancel is written twice',
    found: /cancelled a turn twice/,
    apply: () =>
      instead(
        Turns,
        'writeCancel',
        (real) =>
          function (session) {
            real.call(this, session);
            real.call(this, session);
          },
      ),
  },
  {
    name: 'a cancel is not written',
    found: /was not cancelled|by the books/,
    apply: () =>
      instead(
        Turns,
        'writeCancel',
        (real) =>
          function (session) {
            if (session % 2 === 1) real.call(this, session);
          },
      ),
  },
  {
    name: 'a frame reaches the session that was opened first',
    found: /session|turn|update/,
    apply: () =>
      instead(
        Seats,
        'owned',
        (real) =>
          function (id) {
            return real.call(this, id) && /[2468]$/.test(id) ? { seat: this.all()[0] } : real.call(this, id);
          },
      ),
  },
  {
    name: 'an early update is taken and forgotten',
    found: /updates were lost|not answered/,
    apply: () =>
      instead(
        Early,
        'keep',
        (real) =>
          function (id, bytes, deliver) {
            return real.call(this, id, bytes, bytes % 4 === 0 ? () => {} : deliver);
          },
      ),
  },
  {
    name: 'a listener is told twice',
    found: /delivered twice/,
    apply: () =>
      instead(
        Listeners,
        'update',
        (real) =>
          function (update, where) {
            if (update.raw._meta.n % 7 === 0) real.call(this, update, where);
            return real.call(this, update, where);
          },
      ),
  },
  {
    name: 'a watch is not stopped',
    found: /timers are left|timers spin|stopped actor/,
    apply: () => instead(Watch, 'stop', () => function () {}),
  },
  {
    name: 'a turn that failed is not settled',
    found: /caller was not told|time did not end|never settled|did not fire/,
    apply: () =>
      instead(
        Turns,
        'settleTurn',
        (real) =>
          function (settlement) {
            if (settlement.failure === undefined) real.call(this, settlement);
          },
      ),
  },
  {
    name: 'an answer is matched to the request before',
    found: /./,
    apply: () =>
      instead(
        PendingTable,
        'take',
        (real) =>
          function (id) {
            return real.call(this, typeof id === 'number' && id % 3 === 0 ? id - 1 : id);
          },
      ),
  },
  {
    name: 'a reader holds the pipe for ever',
    found: /nobody holds it|never settled|did not end/,
    apply: () => instead(TurnReader, 'push', () => () => new Promise(() => {})),
  },
];
