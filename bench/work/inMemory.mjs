/** Ours over memory, with an agent that asks a permission in each turn; and a clock that counts what it is asked for. */
import { connect, policy } from '../../dist/index.js';
import { lineOf, memoryAgent, opening, permissionLine, updateLine } from '../memoryAgent.mjs';

export function countingClock() {
  const open = new Set();
  return {
    open,
    clock: {
      now: () => performance.now(),
      setTimeout: (fn, ms) => {
        const handle = setTimeout(() => {
          open.delete(handle);
          fn();
        }, ms);
        open.add(handle);
        return handle;
      },
      clearTimeout: (handle) => {
        open.delete(handle);
        clearTimeout(handle);
      },
    },
  };
}

/** `answer(message, push)`: what the agent makes of anything but opening. */
export async function overMemory(answer, options = {}) {
  return connect({ client: { name: 'bench', version: '1.0.0' }, transport: memoryAgent(opening(answer)), ...options });
}

export async function turnstileInMemory(options = {}) {
  let promptId;
  const head = ['one ', 'two '].map((text) => updateLine('sess_1', text)).join('') + permissionLine('ask', 'sess_1');
  const tail = updateLine('sess_1', 'three');
  const answer = ({ id, method }, push) => {
    if (method === 'session/prompt') {
      promptId = id;
      push(head);
    } else if (id === 'ask') {
      push(tail + lineOf({ id: promptId, result: { stopReason: 'end_turn' } }));
    }
  };
  const agent = await overMemory(answer, { permissions: policy.ask(() => 'yes'), ...options });
  return { agent, session: await agent.newSession({ cwd: '/' }) };
}
