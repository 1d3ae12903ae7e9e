import type { Agent } from '../index.js';

/** A login may send a person to a browser. */
const LOGIN_LIMIT_MS = 600_000;

/** Where a method was given. */
export async function logIn(agent: Agent, method: string | undefined): Promise<void> {
  if (method !== undefined) await agent.authenticate(method, { budget: { absoluteMs: LOGIN_LIMIT_MS } });
}
