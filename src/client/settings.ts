/** The options of `connect`, checked before anything is started. */
import { systemClock, type Clock } from '../framing/clock.js';
import { LONGEST_SLEEP_MS } from '../framing/clock.js';
import { badBound, Budget, budgetOf, DEFAULT_REQUEST_LIMIT_MS, turnBounds } from '../policy/budget.js';
import { decidingOf, policy } from '../policy/policies.js';
import { BadArgument } from '../rpc/badArgument.js';
import type { Observer } from '../inspect/observer.js';
import { isObject } from '../wire/values.js';
import type { Handlers } from '../handlers/handlers.js';
import type { Settings, Source } from '../join/settings.js';
import type { ConnectOptions } from './options.js';

const MIB = 1024 * 1024;
const DEFAULTS = {
  maxFrameBytes: 64 * MIB,
  cancelGraceMs: 15_000,
  closeGraceMs: 3_000,
  writeTimeoutMs: 30_000,
  listenerLimitMs: 30_000,
  replayQuietMs: 100,
  loginLimitMs: 600_000,
} as const;
const SCOPES = ['route', 'strict', 'accept'] as const;

/** Of a chart's own delay: it cannot be endless, since an agent that never leaves would never be ended. */
function ms(value: unknown, argument: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !(value >= 0) || value > LONGEST_SLEEP_MS) throw new BadArgument(argument);
  return value;
}

function limit(value: unknown, argument: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !(value >= 0)) throw new BadArgument(argument);
  return value;
}

function bounds(value: unknown, argument: string): void {
  const bad = value === undefined ? undefined : badBound(value);
  if (bad !== undefined) throw new BadArgument(bad === 'bounds' ? argument : `${argument}.${bad}`);
}

function text(value: unknown, argument: string): string {
  if (typeof value !== 'string' || value === '') throw new BadArgument(argument);
  return value;
}

function sourceOf(options: ConnectOptions): Source {
  const { transport } = options;
  if (transport !== undefined) {
    if (options.command !== undefined) throw new BadArgument('transport');
    const { readable, writable } = isObject(transport) ? transport : {};
    if (typeof (readable as { getReader?: unknown } | undefined)?.getReader !== 'function') {
      throw new BadArgument('transport.readable');
    }
    if (typeof (writable as { getWriter?: unknown } | undefined)?.getWriter !== 'function') {
      throw new BadArgument('transport.writable');
    }
    return { kind: 'transport', readable: transport.readable, writable: transport.writable };
  }
  const command = text(options.command, 'command');
  const { args = [], cwd, env } = options;
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string')) throw new BadArgument('args');
  if (cwd !== undefined && typeof cwd !== 'string') throw new BadArgument('cwd');
  if (env !== undefined && !isObject(env)) throw new BadArgument('env');
  return { kind: 'command', command, args: [...(args as string[])], cwd, env: env && { ...env } };
}

function versionsOf({ protocolVersions, handlers }: ConnectOptions): readonly (1 | 2)[] {
  if (protocolVersions === undefined) return handlers?.fs || handlers?.terminal ? [1] : [2, 1];
  const legal =
    Array.isArray(protocolVersions) && protocolVersions.length > 0 && protocolVersions.every((v) => v === 1 || v === 2);
  if (!legal) throw new BadArgument('protocolVersions');
  return ([2, 1] as const).filter((version) => protocolVersions.includes(version));
}

const FUNCTIONS = {
  fs: { all: [], any: ['readTextFile', 'writeTextFile'] },
  terminal: { all: ['create', 'output', 'waitForExit', 'kill', 'release'], any: [] },
  elicitation: { all: [], any: ['form', 'url'] },
} as const;

/** A capability that is advertised has something behind it. */
function handlersOf(handlers: unknown = {}): Handlers {
  if (!isObject(handlers)) throw new BadArgument('handlers');
  const { requests } = handlers;
  for (const [name, { all, any }] of Object.entries(FUNCTIONS)) {
    const handler = handlers[name];
    if (handler === undefined) continue;
    if (!isObject(handler)) throw new BadArgument(`handlers.${name}`);
    for (const member of [...all, ...any]) {
      const optional = (any as readonly string[]).includes(member) && handler[member] === undefined;
      if (!optional && typeof handler[member] !== 'function') throw new BadArgument(`handlers.${name}.${member}`);
    }
  }
  if (requests !== undefined) {
    if (!isObject(requests)) throw new BadArgument('handlers.requests');
    for (const method of Object.keys(requests)) {
      const fn = requests[method];
      if (fn !== undefined && typeof fn !== 'function') throw new BadArgument(`handlers.requests.${method}`);
    }
  }
  return handlers;
}

function chooseLoginOf(authenticate: ConnectOptions['authenticate']): Settings['chooseLogin'] {
  if (authenticate === undefined || typeof authenticate === 'function') return authenticate;
  const methodId = text(authenticate, 'authenticate');
  return () => methodId;
}

function clockOf(clock: Clock | undefined): Clock {
  if (clock === undefined) return systemClock;
  if (typeof clock.now !== 'function' || typeof clock.setTimeout !== 'function') throw new BadArgument('clock');
  return clock;
}

function observersOf(recorder: ConnectOptions['recorder']): readonly Observer[] {
  if (recorder === undefined) return [];
  const observers: readonly unknown[] = Array.isArray(recorder) ? recorder : [recorder];
  if (!observers.every(isObject)) throw new BadArgument('recorder');
  return observers;
}

/** @throws BadArgument naming the option. */
export function settingsOf(options: ConnectOptions, toError: Settings['toError']): Settings {
  if (!isObject(options)) throw new BadArgument('options');
  const { client, budget, turnBudget, scope = 'route' } = options;
  if (!isObject(client)) throw new BadArgument('client');
  const name = text(client.name, 'client.name');
  const version = text(client.version, 'client.version');
  const { title } = client;
  if (title !== undefined && typeof title !== 'string') throw new BadArgument('client.title');
  if (!SCOPES.includes(scope)) throw new BadArgument('scope', SCOPES);
  const cap = options.maxFrameBytes ?? DEFAULTS.maxFrameBytes;
  if (!Number.isInteger(cap) || cap < 1) throw new BadArgument('maxFrameBytes');
  bounds(turnBudget, 'turnBudget');
  if (!(budget instanceof Budget)) bounds(budget, 'budget');
  const permissions = options.permissions ?? policy.cancel();
  decidingOf(permissions);
  return {
    source: sourceOf(options),
    client: title === undefined ? { name, version } : { name, version, title },
    versions: versionsOf(options),
    maxFrameBytes: cap,
    budget: budget === undefined ? undefined : budgetOf(budget),
    turnBudget: turnBounds(turnBudget),
    requestLimitMs: limit(options.requestLimitMs, 'requestLimitMs', DEFAULT_REQUEST_LIMIT_MS),
    cancelGraceMs: ms(options.cancelGraceMs, 'cancelGraceMs', DEFAULTS.cancelGraceMs),
    closeGraceMs: ms(options.closeGraceMs, 'closeGraceMs', DEFAULTS.closeGraceMs),
    writeTimeoutMs: limit(options.writeTimeoutMs, 'writeTimeoutMs', DEFAULTS.writeTimeoutMs),
    listenerLimitMs: limit(options.listenerLimitMs, 'listenerLimitMs', DEFAULTS.listenerLimitMs),
    replayQuietMs: limit(options.replayQuietMs, 'replayQuietMs', DEFAULTS.replayQuietMs),
    chooseLogin: chooseLoginOf(options.authenticate),
    loginLimitMs: limit(options.loginLimitMs, 'loginLimitMs', DEFAULTS.loginLimitMs),
    policy: permissions,
    handlers: handlersOf(options.handlers),
    scope,
    clock: clockOf(options.clock),
    inspect: options.inspect,
    observers: observersOf(options.recorder),
    toError,
  };
}
