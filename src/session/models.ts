/** Parameterised model identifiers, a convention of vendors and no part of the protocol: `name[key=value,key=value]`. */

/** Keys that carry a level of effort, strongest first. `thinking` says that there is reasoning, seldom how much. */
export const EFFORT_KEYS = ['effort', 'reasoning_effort', 'variant', 'thinking'] as const;

interface Parsed {
  base: string;
  attributes: ReadonlyMap<string, string>;
}

function pairsOf(inside: string): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const pair of inside.split(',')) {
    const [key = '', value = '', ...more] = pair.split('=').map((part) => part.trim());
    if (key === '' || value === '' || more.length > 0 || pairs.has(key)) return undefined;
    pairs.set(key, value);
  }
  return pairs;
}

function parse(id: string): Parsed {
  const whole: Parsed = { base: id, attributes: new Map() };
  const open = id.indexOf('[');
  // One bracket, behind a name, to the end. Anything else is a name that happens to hold brackets.
  if (open < 1 || id.indexOf(']') !== id.length - 1 || id.lastIndexOf('[') !== open) return whole;
  const attributes = pairsOf(id.slice(open + 1, -1));
  return attributes === undefined ? whole : { base: id.slice(0, open).trimEnd(), attributes };
}

/** The name without its parameters. A bracket that holds none belongs to the name: `opus[1m]` is `opus[1m]`. */
export const modelIdBase = (id: string): string => parse(id).base;

/** The parameters, in the agent's order and spelling. A malformed or keyless bracket yields none rather than a guess. */
export const modelIdAttributes = (id: string): ReadonlyMap<string, string> => parse(id).attributes;

/** The level of effort that an identifier names, by the strongest of its keys, whatever their order. */
export function advertisedEffort(id: string): string | undefined {
  const attributes = modelIdAttributes(id);
  const key = EFFORT_KEYS.find((name) => attributes.has(name));
  return key === undefined ? undefined : attributes.get(key);
}
