/**
 * A transport of your own: the agent sits behind a TCP socket here, as it could behind ssh, a container or a web socket. Any pair
 * of web streams of bytes will do. The library owns no process then: who started the agent also ends it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as dial, createServer } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { connect } from 'acp-turnstile';
import { demoAgent } from './demoAgent.mjs';

// The far end: one agent for each connection.
const server = createServer((socket) => {
  const child = spawn(demoAgent.command, demoAgent.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  socket.pipe(child.stdin);
  child.stdout.pipe(socket);
  // Whoever hangs up ends the agent, which leaves at the end of its stdin.
  socket.on('error', () => child.kill());
  child.stdin.on('error', () => socket.destroy());
  child.once('exit', (code) => {
    console.log(`the agent has left with code ${code}`);
    server.close();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

// The near end.
const socket = dial(server.address());
await once(socket, 'connect');
const agent = await connect({
  transport: { readable: Readable.toWeb(socket), writable: Writable.toWeb(socket) },
  client: { name: 'transport', version: '1.0.0' },
});
try {
  const session = await agent.newSession({ cwd: process.cwd() });
  const { outcome, text } = await session.prompt('Hello over there.').result;
  console.log(text);
  console.log(`${outcome} over a socket, ${agent.stats.framesIn} frames in`);
} finally {
  await agent.close();
}
