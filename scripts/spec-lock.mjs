/**
 * `npm run spec-lock`: which part of the published schemas each module follows, and whether it has moved. The hashes in
 * docs/spec-lock.json are of the definitions of a region in the schemas of the dev dependency; drift is printed by region.
 * `--write` takes the schemas that are installed as the new lock and writes docs/spec-lock.md.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockFile = `${root}docs/spec-lock.json`;
const pageFile = `${root}docs/spec-lock.md`;
const VERSIONS = ['v1', 'v2'];

const sorted = (value) =>
  Array.isArray(value)
    ? value.map(sorted)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .filter((key) => key !== 'description')
            .sort()
            .map((key) => [key, sorted(value[key])]),
        )
      : value;

const definitions = Object.fromEntries(
  VERSIONS.map((version) => {
    const file = `${root}node_modules/@agentclientprotocol/sdk/schema/${version}/schema.json`;
    return [version, JSON.parse(readFileSync(file, 'utf8')).$defs];
  }),
);

function hashOf(version, names) {
  const missing = names.filter((name) => !Object.hasOwn(definitions[version], name));
  if (missing.length > 0) return { missing };
  const text = JSON.stringify(names.map((name) => [name, sorted(definitions[version][name])]));
  return { hash: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}

const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
const found = {};
const drift = [];
for (const region of lock.regions) {
  for (const file of region.modules) if (!existsSync(root + file)) drift.push(`${region.region}: no module ${file}`);
  for (const version of VERSIONS) {
    const key = `${region.region} ${version}`;
    const { hash, missing } = hashOf(version, region[version]);
    if (missing) drift.push(`${key}: gone from the schema: ${missing.join(', ')}`);
    else if (lock.hashes[key] !== hash)
      drift.push(`${key}: the schema has changed (${lock.hashes[key] ?? 'new'} -> ${hash})`);
    found[key] = hash;
  }
}

/** Every definition that no region names, so that a new part of the protocol is seen. */
function unlocked(version) {
  const named = new Set(lock.regions.flatMap((region) => region[version]));
  return Object.keys(definitions[version]).filter((name) => !named.has(name));
}

function page() {
  const rows = lock.regions.map(
    ({ region, section, modules, v1, v2 }) =>
      `| ${region} | ${section} | ${modules.map((file) => `\`${file}\``).join(' ')} | ${v1.join(' ')} <br> \`${found[`${region} v1`]}\` | ${v2.join(' ')} <br> \`${found[`${region} v2`]}\` |`,
  );
  return [
    '# The spec lock',
    '',
    '<!-- Written by `npm run spec-lock -- --write`. Do not edit. -->',
    '',
    `Which part of the protocol each module follows, and the hash of that part in the schemas of \`${lock.package}\`.`,
    '`npm run spec-lock` compares the schemas that are installed with the lock and prints drift by region, so that a new',
    'release of the protocol is read region by region. Descriptions do not count.',
    '',
    '| region | protocol section | modules | v1 definitions and hash | v2 definitions and hash |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...VERSIONS.flatMap((version) => [`Not locked in ${version}: ${unlocked(version).join(' ')}.`, '']),
  ].join('\n');
}

if (process.argv.includes('--write')) {
  lock.hashes = found;
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  writeFileSync(pageFile, page());
  console.log(`locked ${lock.regions.length} regions to ${lock.package}`);
} else {
  const stale = existsSync(pageFile) && readFileSync(pageFile, 'utf8') === page() ? [] : ['docs/spec-lock.md is stale'];
  for (const line of [...drift, ...stale]) console.log(line);
  if (drift.length + stale.length > 0) process.exitCode = 1;
  else console.log(`${lock.regions.length} regions as locked to ${lock.package}`);
}
