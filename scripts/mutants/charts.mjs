/**
 * Mutants made by machine: each chart once more without one of its handlers, guards, actions, entries, exits or timers.
 * Read from the source by TypeScript's own parser; only what is cut out differs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const CHARTS = ['connection', 'process', 'session', 'sessionTurns', 'sessionPermissions', 'turn'];
const PARTS = ['actions', 'guard', 'entry', 'exit', 'always', 'after', 'onError'];

const nameOf = (property) => (property.name && 'text' in property.name ? property.name.text : undefined);

/** `live.ready + user.openSession`: where in the chart a node of the source stands. */
function place(node) {
  const names = [];
  for (let at = node; at; at = at.parent) {
    if (ts.isPropertyAssignment(at) && !['states', 'on', ...PARTS].includes(nameOf(at))) names.unshift(nameOf(at));
  }
  return names.join('.');
}

function cuts(source) {
  const found = [];
  const cut = (node, what) => {
    // With the comma that follows it.
    const comma = /^\s*,/.exec(source.text.slice(node.end));
    found.push({ start: node.getStart(source), end: node.end + (comma ? comma[0].length : 0), what });
  };
  const visit = (node) => {
    if (ts.isPropertyAssignment(node)) {
      const name = nameOf(node);
      const parts = name !== undefined && PARTS.includes(name);
      const handlers = name === 'on' && ts.isObjectLiteralExpression(node.initializer);
      if (parts && ts.isArrayLiteralExpression(node.initializer) && name === 'actions') {
        node.initializer.elements.forEach((one, i) => cut(one, `${place(node)}: without action ${i + 1}`));
      } else if (parts) cut(node, `${place(node)}: without ${name}`);
      if (handlers) {
        for (const handler of node.initializer.properties) cut(handler, `${place(handler)}: not heard`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

export function chartMutants(root) {
  return CHARTS.flatMap((chart) => {
    const file = `machines/${chart}.ts`;
    const text = readFileSync(join(root, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    return cuts(source).map(({ start, end, what }) => ({
      file,
      says: what,
      text: text.slice(0, start) + text.slice(end),
    }));
  });
}
