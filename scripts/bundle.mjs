/** Of the modules in `build/` the few files of `dist/`: an import costs about a millisecond for each file that it loads. */
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const ENTRIES = {
  index: 'src/index.js',
  inspector: 'src/inspector.js',
  machines: 'machines/index.js',
  cli: 'src/cli/main.js',
};

/** What `connect` imports when it is called. */
const CONNECTION = 'src/join/hub.js';

/**
 * What several entries or commands load lies in one file for them all: in memory there is one of everything, whoever
 * imports it. And nobody is to load much that he does not need, so a module goes to the first part of which a root loads it:
 * first the parts of the library, then those of the command line.
 */
const LIBRARY = {
  charts: [ENTRIES.machines],
  basics: [ENTRIES.inspector, ENTRIES.cli, 'src/demo/demoAgent.js'],
  library: [ENTRIES.index],
  pipes: ['src/cli/lintAction.js', 'src/cli/recordAction.js', 'src/cli/replayAction.js'],
};
const COMMAND_LINE = {
  terminal: [ENTRIES.cli],
  files: ['src/cli/fakeAction.js', ...LIBRARY.pipes],
  agents: ['src/cli/inspectAction.js', 'src/cli/probeAction.js', 'src/cli/doctorAction.js', 'src/cli/demoAction.js'],
};

/** Which part each module belongs to, where it is shared. */
function partsOf(graph, root) {
  const path = (name) => join(root, name);
  const loadedBy = (names) => {
    const found = new Set(names.map(path));
    for (const id of found) for (const imported of graph.getModuleInfo(id).importedIds) found.add(imported);
    return found;
  };
  const parts = new Map();
  const place = (layout, belongs) => {
    for (const [part, roots] of Object.entries(layout)) {
      for (const id of loadedBy(roots)) if (belongs(id) && !parts.has(id)) parts.set(id, part);
    }
  };
  const library = loadedBy([ENTRIES.index, CONNECTION]);
  place(LIBRARY, (id) => library.has(id));
  place(COMMAND_LINE, (id) => id.startsWith(path('src/cli/')));
  return parts;
}

/** `from` holds all modules, compiled one by one. `dependencies` are left for the installation to bring. */
export async function bundle({ from, to, dependencies }) {
  let parts;
  const bundler = await rolldown({
    cwd: from,
    input: ENTRIES,
    external: dependencies,
    platform: 'node',
    // What the parts below need; no entry has anything that others would have to take from it.
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      {
        name: 'parts',
        buildEnd() {
          parts = partsOf(this, from);
        },
      },
    ],
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  await bundler.write({
    dir: to,
    chunkFileNames: 'parts/[name].js',
    comments: false,
    // A stack trace is to be read without a source map: names stay as they were written.
    minify: false,
    minifyInternalExports: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: Object.keys({ ...LIBRARY, ...COMMAND_LINE }).map((name) => ({
        name,
        test: (id) => parts.get(id) === name,
        minShareCount: 2,
      })),
    },
  });
  await bundler.close();
}
