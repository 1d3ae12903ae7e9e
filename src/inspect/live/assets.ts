/** The files of the page, by name. Nothing else of the disk can be asked for. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export interface Asset {
  file: string;
  type: string;
}

/** The page as it stands in the package, and the pictures of the charts that the documentation shows too. */
export function assets(): ReadonlyMap<string, Asset> {
  const root = dirname(createRequire(import.meta.url).resolve('acp-turnstile/package.json'));
  const found = new Map<string, Asset>();
  const add = (folder: string, prefix: string, extensions: readonly string[]): void => {
    for (const name of readdirSync(folder)) {
      const extension = extname(name);
      const type = TYPES[extension];
      if (type !== undefined && extensions.includes(extension)) {
        found.set(`${prefix}${name}`, { file: join(folder, name), type });
      }
    }
  };
  add(join(root, 'page'), '', Object.keys(TYPES));
  add(join(root, 'docs/machines'), 'charts/', ['.svg']);
  const index = found.get('index.html');
  if (index) found.set('', index);
  return found;
}
