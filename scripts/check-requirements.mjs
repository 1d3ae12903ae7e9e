/**
 * `npm run requirements`: docs/requirements.md names each of the 95 requirements once, in order, and at least one test that
 * shows it, as `file > describe > title`; every test that it names stands in that file under exactly that name and is not
 * skipped. A test of `it.each` has the title as it is written, and that of each row whose cells are literals. What is `open:`
 * is printed. `--map FILE` checks another map, `--tests` prints the names that can be referred to.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const REQUIREMENTS = 95;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '__tests__');

/** `it`, `describe.each([…])`, …: the name and what hangs on it, with any call or tag in between left out. */
function callee(node) {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return [...callee(node.expression), node.name.text];
  if (ts.isCallExpression(node)) return callee(node.expression);
  if (ts.isTaggedTemplateExpression(node)) return callee(node.tag);
  return [];
}

/** As it stands in the source: what is put in at run time is not known here. */
function titleOf(node) {
  if (node === undefined) return undefined;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : undefined;
}

const NOT_LITERAL = Symbol('known at run time only');

/** The value of a literal, as far as a title can show it. */
function valueOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) return -valueOf(node.operand);
  if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) return valueOf(node.expression);
  if (ts.isObjectLiteralExpression(node) && node.properties.length === 0) return {};
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map(valueOf);
    return items.includes(NOT_LITERAL) ? NOT_LITERAL : items;
  }
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  return node.kind === ts.SyntaxKind.FalseKeyword ? false : NOT_LITERAL;
}

/** The titles of `it.each(table)(title, …)`, of those rows that make one out of literals. */
function titlesOfRows(call, title) {
  const each = call.expression;
  let table = ts.isCallExpression(each) ? each.arguments[0] : undefined;
  while (table && (ts.isAsExpression(table) || ts.isParenthesizedExpression(table))) table = table.expression;
  if (!table || !ts.isArrayLiteralExpression(table)) return [];
  return table.elements.flatMap((row) => {
    const cells = (ts.isArrayLiteralExpression(row) ? [...row.elements] : [row]).map(valueOf);
    let used = 0;
    const made = title.replace(/%([sdij])/g, (_, how) => {
      const cell = cells[used++];
      if (cell === undefined || typeof cell === 'symbol') return NOT_LITERAL.description;
      return how === 'j' ? JSON.stringify(cell) : String(cell);
    });
    return used === 0 || made.includes(NOT_LITERAL.description) ? [] : [made];
  });
}

/** Every test of a file that runs, as `describe > title`. */
function testsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const tests = [];
  const visit = (node, above) => {
    if (!ts.isCallExpression(node)) return ts.forEachChild(node, (child) => visit(child, above));
    const [name, ...more] = callee(node.expression);
    const title = titleOf(node.arguments[0]);
    const runs = !more.includes('skip') && !more.includes('todo');
    if (title === undefined || !['it', 'test', 'describe'].includes(name)) {
      return ts.forEachChild(node, (child) => visit(child, above));
    }
    if (!runs) return undefined;
    const titles = [title, ...(more.includes('each') ? titlesOfRows(node, title) : [])];
    for (const path of titles.map((one) => [...above, one])) {
      if (name !== 'describe') tests.push(path.join(' > '));
      else for (const argument of node.arguments) ts.forEachChild(argument, (child) => visit(child, path));
    }
    return undefined;
  };
  visit(source, []);
  return tests;
}

const files = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .sort();

/** The map: `N. text`, and under it `- \`reference\`` or `- open: reason`. */
function read(map) {
  const entries = [];
  for (const line of map.split('\n')) {
    const head = /^(\d+)\. (.+)$/.exec(line);
    if (head) entries.push({ number: Number(head[1]), text: head[2], references: [], open: undefined });
    const item = /^ +- (?:open: (?<open>.+)|(?<ticks>`+) ?(?<reference>.+?) ?\k<ticks>)$/.exec(line);
    const entry = entries.at(-1);
    if (!item || !entry) continue;
    if (item.groups.open !== undefined) entry.open = item.groups.open;
    else entry.references.push(item.groups.reference);
  }
  return entries;
}

function problemsOf(entries) {
  const known = new Map(files().map((file) => [file, new Set(testsOf(file))]));
  const problems = [];
  for (let number = 1; number <= REQUIREMENTS; number++) {
    const times = entries.filter((entry) => entry.number === number).length;
    if (times !== 1) problems.push(`${number} is in the map ${times} times`);
  }
  entries.forEach((entry, i) => {
    if (entry.number !== i + 1) problems.push(`${entry.number} stands in the place of ${i + 1}`);
  });
  for (const { number, references, open } of entries) {
    if (references.length === 0 && open === undefined) problems.push(`${number} has no test`);
    for (const reference of references) {
      const [file, ...rest] = reference.split(' > ');
      if (!known.has(file)) problems.push(`${number}: there is no ${file}`);
      else if (!known.get(file).has(rest.join(' > '))) problems.push(`${number}: ${file} has no > ${rest.join(' > ')}`);
    }
  }
  return problems;
}

const { values } = parseArgs({
  options: {
    map: { type: 'string', default: join(root, 'docs/requirements.md') },
    tests: { type: 'boolean', default: false },
  },
});

if (values.tests) {
  for (const file of files()) for (const test of testsOf(file)) console.log(`${file} > ${test}`);
} else {
  const entries = read(readFileSync(values.map, 'utf8'));
  const problems = problemsOf(entries);
  for (const { number, open } of entries) if (open !== undefined) console.log(`open ${number}: ${open}`);
  for (const problem of problems) console.log(`FAILED ${problem}`);
  const references = entries.flatMap((entry) => entry.references);
  const open = entries.filter((entry) => entry.open !== undefined).length;
  console.log(
    `${entries.length} requirements, shown by ${new Set(references).size} tests, ${open} open, ${problems.length} wrong`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
