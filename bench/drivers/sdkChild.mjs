/** The agent's process as the SDK wants it: web streams. */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

export { acp };

export function sdkChild({ command, args, maxFrameBytes }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const limits = maxFrameBytes === undefined ? {} : { maxMessageBytes: maxFrameBytes };
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout), limits);
  return { child, stream };
}

export const initialize = (connection) =>
  connection.agent.request('initialize', { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });

export async function end(child, connection) {
  connection.close();
  child.stdin.destroy();
  child.kill();
}
