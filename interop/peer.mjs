/** One real agent with a private home and work folder, and connections to it through the public API. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { connect } from '../dist/index.js';

const CONNECT_MS = 60_000;
const GONE_MS = 2_000;
const POLL_MS = 50;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Peer {
  #agents = [];

  constructor(recipe, installed, versions, port, signal) {
    this.recipe = recipe;
    this.root = mkdtempSync(join(tmpdir(), `interop-${recipe.name}-`));
    this.work = join(this.root, 'work');
    this.#home = join(this.root, 'home');
    this.#installed = installed;
    this.#versions = versions;
    this.#signal = signal;
    mkdirSync(this.work);
    mkdirSync(join(this.#home, 'tmp'), { recursive: true });
    for (const [name, text] of Object.entries(recipe.files(port))) {
      mkdirSync(dirname(join(this.#home, name)), { recursive: true });
      writeFileSync(join(this.#home, name), text);
    }
    this.#env = { ...homeOnly(this.#home, installed.binFolder), ...recipe.env(this.#home, port) };
  }
  #home;
  #installed;
  #versions;
  #signal;
  #env;

  /** How it is started, for somebody else to do it. */
  get launch() {
    return { command: this.#installed.command, args: this.recipe.args, cwd: this.work, env: this.#env };
  }

  /** Starts the agent and logs it in, where it wants that. */
  async connect(options = {}) {
    const agent = await connect({
      ...this.launch,
      client: { name: 'acp-turnstile-interop', version: '1.0.0' },
      protocolVersions: this.#versions,
      budget: { absoluteMs: CONNECT_MS },
      signal: this.#signal,
      ...options,
    });
    this.#agents.push(agent);
    if (this.recipe.authMethod !== undefined) await agent.authenticate(this.recipe.authMethod);
    return agent;
  }

  file(name) {
    return join(this.work, name);
  }

  /** What a scenario found out, for the lines under the table. */
  notes = [];
  note(lines) {
    this.notes.push(...lines);
  }

  /** Closes what is open and gives the processes that outlived it: there must be none. */
  async end() {
    await Promise.all(this.#agents.map((agent) => agent.close()));
    const groups = this.#agents.map((agent) => agent.pid);
    const end = performance.now() + GONE_MS;
    let living = livingIn(groups);
    while (living.length > 0 && performance.now() < end) {
      await sleep(POLL_MS);
      living = livingIn(groups);
    }
    for (const pid of living) process.kill(pid, 'SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
    return living;
  }
}

/** Nothing of the host's own settings or logins is seen. */
function homeOnly(home, binFolder) {
  return {
    PATH: [binFolder, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    USER: 'user',
    LOGNAME: 'user',
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: join(home, 'tmp'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}

/** Members of these process groups that live; one that only waits to be reaped does not count. Reads /proc: Linux only. */
function livingIn(groups) {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return groups.includes(Number(group)) && state !== 'Z' && state !== 'X' ? [Number(name)] : [];
    } catch {
      return []; // gone while we looked
    }
  });
}
