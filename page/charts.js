/** The pictures of the charts, with the states that an actor is in lit and its last edge marked. */
import { byId, el, say } from './dom.js';
import { shortState } from './format.js';

/** @typedef {import('./types.js').Actor} Actor @typedef {import('./model.js').Model} Model */

export const CHARTS = ['connection', 'session', 'turn', 'process'];

/** What an event is called in the picture: slots have no numbers there. @param {string} event */
const inPicture = (event) => event.replace(/\.\d+$/, '');

/** @param {string} name @returns {Promise<SVGSVGElement>} */
async function picture(name) {
  const response = await fetch(`charts/${name}.svg`);
  if (!response.ok) throw new Error(`charts/${name}.svg: ${response.status}`);
  // The page has its own colours, which its toggle reaches.
  const text = (await response.text()).replace(/<style>[^]*?<\/style>/, '');
  const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
  const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(documentElement, true)));
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  return svg;
}

export class Charts {
  /** @type {Map<string, SVGSVGElement>} */
  #pictures = new Map();
  /** @type {Map<string, HTMLButtonElement>} */
  #tabs = new Map();
  /** The actor that is shown; undefined: the newest of the chart. @type {string | undefined} */
  #actor = undefined;
  #chart = 'connection';
  #follow = /** @type {HTMLInputElement} */ (byId('follow'));
  /** What is lit, so that nothing is touched in vain. */
  #drawn = '';
  /** @type {() => void} */
  #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
    for (const [at, name] of CHARTS.entries()) {
      const tab = el('button', 'tab', name);
      tab.type = 'button';
      tab.role = 'tab';
      tab.title = `The ${name} chart (${at + 1})`;
      tab.dataset['chart'] = name;
      tab.addEventListener('click', () => this.choose(name));
      this.#tabs.set(name, tab);
    }
    byId('tabs').append(...this.#tabs.values());
    this.#follow.addEventListener('change', () => changed());
  }

  async load() {
    for (const svg of await Promise.all(CHARTS.map(picture))) this.#pictures.set(svg.dataset['chart'] ?? '', svg);
    this.#drawn = '';
    this.#changed();
  }

  get chosen() {
    return this.#actor;
  }

  /** @param {string} chart @param {string} [actor] */
  choose(chart, actor) {
    this.#follow.checked = false;
    this.#chart = chart;
    this.#actor = actor;
    this.#changed();
  }

  toggleFollow() {
    this.#follow.checked = !this.#follow.checked;
    this.#changed();
  }

  /** @param {Model} now */
  show(now) {
    const { last } = now;
    if (this.#follow.checked && last) {
      this.#chart = last.chart;
      this.#actor = last.actor;
    }
    const actor = this.#shown(now);
    this.#actor = actor?.path ?? this.#actor;
    const step = last && last.actor === actor?.path ? last : undefined;
    const state = JSON.stringify([
      this.#chart,
      actor?.path,
      actor?.states,
      step?.t,
      step?.event,
      step?.to,
      this.#pictures.size,
    ]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    for (const [name, tab] of this.#tabs) tab.ariaSelected = String(name === this.#chart);
    const svg = this.#pictures.get(this.#chart);
    if (svg) {
      const place = byId('chart');
      if (place.firstChild !== svg) place.replaceChildren(svg);
      light(svg, actor, step);
    }
    this.#caption(actor, step);
  }

  /** @param {Model} now @returns {Actor | undefined} */
  #shown(now) {
    const chosen = this.#actor === undefined ? undefined : now.actors.get(this.#actor);
    if (chosen?.chart === this.#chart) return chosen;
    const those = [...now.actors.values()].filter(({ chart }) => chart === this.#chart);
    return those.reduce((a, b) => (b.t >= (a?.t ?? -1) ? b : a), those[0]);
  }

  /** @param {Actor | undefined} actor @param {import('./types.js').StepLine | undefined} step */
  #caption(actor, step) {
    const place = byId('caption');
    if (!actor) return say(place, `No ${this.#chart} yet.`);
    const at = actor.states.map((id) => shortState(id, actor.chart)).join(', ');
    const path = el('b', '', actor.path.split('/').slice(-2).join(' / '));
    if (!step || step.event === 'begin') return place.replaceChildren(path, ` in ${at}`);
    const to = step.to.length === 0 ? 'stays' : `→ ${step.to.map((id) => shortState(id, step.chart)).join(', ')}`;
    place.replaceChildren(path, ' ', el('code', '', step.event), ` ${to}`);
  }
}

/** @param {SVGSVGElement} svg @param {Actor | undefined} actor @param {import('./types.js').StepLine | undefined} step */
function light(svg, actor, step) {
  const states = actor?.states ?? [];
  const done = actor?.status !== 'active';
  for (const node of svg.querySelectorAll('[data-state]')) {
    const id = /** @type {SVGElement} */ (node).dataset['state'] ?? '';
    const active = states.includes(id);
    node.classList.toggle('active', active);
    node.classList.toggle('over', active && done);
    node.classList.toggle('within', !active && states.some((state) => state.startsWith(`${id}.`)));
    node.classList.toggle('touched', step !== undefined && step.to.length === 0 && step.from.includes(id));
  }
  const event = step && inPicture(step.event);
  for (const node of svg.querySelectorAll('[data-event]')) {
    const { from = '', to = '', event: events = '' } = /** @type {SVGElement} */ (node).dataset;
    const last = step?.from.includes(from) && step.to.includes(to) && ` ${events} `.includes(` ${event} `);
    node.classList.toggle('last', last === true);
  }
}
