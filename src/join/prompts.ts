/** The request of a turn: `session/prompt`, what its answer tells the turn chart, and the one retry after a login. */
import type { TurnFailure } from '../../machines/index.js';
import type { Answer } from '../rpc/messages.js';
import { failureOf } from './calls.js';
import type { Link } from './link.js';
import type { Login } from './login.js';
import type { Seat } from './seat.js';
import type { TurnRun } from './turnRun.js';

export class Prompts {
  constructor(
    readonly link: Link,
    readonly login: Login,
  ) {}

  send(seat: Seat, run: TurnRun): void {
    const { link } = this;
    if (seat.id === undefined || !link.wire) return;
    const call = link.dialect.prompt(seat.id, run.order.blocks);
    const { sent } = link.wire.request(call.method, call.params, (answer) => this.#answered(seat, run, answer));
    void sent.then((ok) => run.sent.resolve(ok));
  }

  #answered(seat: Seat, run: TurnRun, answer: Answer): void {
    const actor = seat.turnActor;
    if (answer.kind === 'closed' || actor?.getSnapshot().context.turn !== run.serial) return;
    if (answer.kind !== 'result') {
      const failure = failureOf(this.link, answer, 'turn');
      run.agentCode = failure.agentCode;
      run.said = failure.said;
      const refuse = (): void => actor.send({ type: 'agent.promptError', failure: failure.kind as TurnFailure });
      const retries = failure.kind === 'auth-required' && this.login.wanted && !run.retried;
      return retries ? this.#logIn(seat, run, refuse) : refuse();
    }
    const reading = this.link.dialect.readPrompt(answer.result);
    if (!reading) return actor.send({ type: 'agent.promptError', failure: 'protocol' });
    if (reading.usage) run.usage = reading.usage;
    if (reading.stopReason !== undefined) actor.send({ type: 'agent.promptResult', stopReason: reading.stopReason });
    else actor.send({ type: 'agent.promptAccepted' });
  }

  /**
   * The refusal is withheld from the turn until the login is over. A turn that is stopped meanwhile is told of it at once: nothing
   * of it is at the agent, so that it is what confirms the stop.
   */
  #logIn(seat: Seat, run: TurnRun, refuse: () => void): void {
    run.retried = true;
    run.watch?.pause('login');
    let over = false;
    const end = (then: () => void): void => {
      if (over) return;
      over = true;
      run.refuseNow = undefined;
      run.watch?.resume('login');
      then();
    };
    run.refuseNow = () => queueMicrotask(() => end(refuse));
    this.login.attempt(undefined).then(
      (again) => end(again ? () => this.#again(seat, run) : refuse),
      (error: unknown) => {
        run.cause = error;
        end(refuse);
      },
    );
  }

  #again(seat: Seat, run: TurnRun): void {
    run.agentCode = undefined;
    run.said = undefined;
    this.send(seat, run);
  }
}
