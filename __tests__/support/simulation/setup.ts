import { prng } from './prng.js';
import type { Setup } from './script.js';

const CAPABILITIES = [
  'loadSession',
  'sessionCapabilities.resume',
  'sessionCapabilities.close',
  'sessionCapabilities.list',
  'sessionCapabilities.delete',
  'sessionCapabilities.fork',
  'promptCapabilities.embeddedContext',
  'auth.logout',
];

/** Whether the client has told, in the version that is spoken, that it serves this method. Version 2 has no files to serve. */
export const serves = ({ handlers, version }: Setup, method: string): boolean =>
  handlers && (version === 1 || method !== 'fs/read_text_file');

/** The world of a seed. Its times are short, so that they are met often, and odd, so that they seldom fall together. */
export function setupOf(seed: number): Setup {
  const r = prng(seed ^ 0x5eed);
  const version = r.chance(0.5) ? 1 : 2;
  const handlers = r.chance(0.3);
  const offers = r.weighted<(1 | 2)[]>([
    [8, [2, 1]],
    [1, [version]],
    [0.5, [3 - version === 1 ? 1 : 2]],
  ]);
  return {
    seed,
    version,
    offers,
    handshake: r.weighted<Setup['handshake']>([
      [60, 'plain'],
      [1.5, 'echo'],
      [1.5, 'refuses'],
      [1, 'names'],
      [0.5, 'unsupported'],
      [0.5, 'error'],
      [0.5, 'silent'],
      [0.5, 'exits'],
      [0.5, 'hollow'],
    ]),
    scope: r.weighted<Setup['scope']>([
      [6, 'route'],
      [2, 'strict'],
      [2, 'accept'],
    ]),
    policy: r.weighted<Setup['policy']>([
      [1, 'cancel'],
      [4, 'ask'],
      [2, 'ask-by-clock'],
      [2, 'ask-reject'],
      [2, 'by-kind'],
      [2, 'unattended'],
    ]),
    listener: r.weighted<Setup['listener']>([
      [6, 'none'],
      [2, 'async'],
      [2, 'slow'],
      [1, 'throws'],
    ]),
    thinkMs: r.between(1, 700),
    serves: CAPABILITIES.filter(() => r.chance(0.85)),
    options: r.pick(['config', 'legacy', 'none']),
    handlers,
    limits: {
      requestLimitMs: r.between(900, 2500),
      turnIdleMs: r.between(700, 4000),
      turnAbsoluteMs: r.between(5000, 20_000),
      cancelGraceMs: r.between(150, 900),
      closeGraceMs: r.between(50, 400),
      writeTimeoutMs: r.between(300, 1500),
      listenerLimitMs: r.between(100, 600),
      replayQuietMs: r.between(20, 120),
      maxFrameBytes: r.chance(0.8) ? 4 * 1024 * 1024 : 4096,
    },
    leavesOnEof: r.chance(0.7),
    ending: r.pick(['time', 'time', 'close', 'exit', 'fail']),
  };
}
