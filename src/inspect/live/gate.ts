/**
 * Who may look. The server listens on 127.0.0.1 alone, but every page in every browser of this machine can reach that: so the
 * path must begin with a secret, the host must be ours (a name that was rebound to 127.0.0.1 is not), and no other origin may
 * ask, whatever it knows.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const TOKEN_BYTES = 24;
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

export const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
};

function same(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export class Gate {
  readonly token = randomBytes(TOKEN_BYTES).toString('base64url');

  /** The path behind the token, or the status of the refusal. */
  pass(request: IncomingMessage, port: number): string | 403 | 405 {
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    const { host, origin } = request.headers;
    if (host === undefined || !hosts.includes(host)) return 403;
    if (origin !== undefined && !hosts.some((ours) => origin === `http://${ours}`)) return 403;
    if (!this.#ownFetch(request)) return 403;
    const [, token = '', ...path] = (request.url ?? '').split('?', 1).join('').split('/');
    if (!same(token, this.token)) return 403;
    return METHODS.has(request.method) ? path.join('/') : 405;
  }

  /** Browsers say which site asks. A link to the page may stand anywhere; all else is for the page itself. */
  #ownFetch({ headers }: IncomingMessage): boolean {
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin' || site === 'none') return true;
    return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  }
}
