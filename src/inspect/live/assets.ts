/** The files of the page, by name. Nothing else of the disk can be asked for. */
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ownFile } from '../ownPackage.js';

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
  add(ownFile('page'), '', Object.keys(TYPES));
  add(ownFile('docs/machines'), 'charts/', ['.svg']);
  const index = found.get('index.html');
  if (index) found.set('', index);
  return found;
}
