/**
 * An agent in this very process, behind byte streams in memory: no pipe, no second process, and next to no work of its
 * own. `answer(message, push)` is told each message that the library writes, and pushes lines.
 */
export function memoryAgent(answer) {
  let chunks = [];
  let head = 0;
  let hungry;
  let ended = false;
  const feed = () => {
    if (!hungry) return;
    const settle = hungry;
    if (head < chunks.length) {
      hungry = undefined;
      const value = chunks[head++];
      if (head === chunks.length) {
        chunks = [];
        head = 0;
      }
      settle({ done: false, value });
    } else if (ended) {
      hungry = undefined;
      settle({ done: true });
    }
  };
  const push = (bytes) => {
    chunks.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    feed();
  };
  const end = () => {
    ended = true;
    feed();
    return Promise.resolve();
  };
  const written = Promise.resolve();
  return {
    readable: {
      getReader: () => ({
        read: () =>
          new Promise((resolve) => {
            hungry = resolve;
            feed();
          }),
        cancel: end,
        releaseLock: () => {},
      }),
    },
    writable: {
      getWriter: () => ({
        write: (bytes) => {
          for (const line of Buffer.from(bytes).toString().split('\n')) {
            if (line !== '') answer(JSON.parse(line), push);
          }
          return written;
        },
        close: end,
        abort: end,
        ready: written,
      }),
    },
  };
}

export const lineOf = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

export const updateLine = (sessionId, text) =>
  lineOf({
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });

export const permissionLine = (id, sessionId) =>
  lineOf({
    id,
    method: 'session/request_permission',
    params: {
      sessionId,
      toolCall: { toolCallId: 't1', title: 'build', kind: 'execute' },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    },
  });

/** Answers what opens a connection and its sessions; anything else is for `turn`. */
export function opening(turn) {
  let sessions = 0;
  return (message, push) => {
    const { id, method } = message;
    if (method === 'initialize') {
      push(lineOf({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } }));
    } else if (method === 'session/new') {
      sessions += 1;
      push(lineOf({ id, result: { sessionId: `sess_${sessions}` } }));
    } else turn(message, push);
  };
}
