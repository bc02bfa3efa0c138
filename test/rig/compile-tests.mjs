// Compiles test files and their imports to JavaScript once, since tsx would cost 0.3 s of CPU in each test process.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);

/** Below node_modules, so that packages are found from there. */
const CACHE = path.resolve('node_modules/.cache/tollgate-tests');

/** Scripts that tests start as separate processes; see own-script.ts. */
const SCRIPTS = [
  'examples/scripts/branch-on-class.ts',
  'examples/scripts/nightly.ts',
  'examples/scripts/two-reviews.ts',
  'test/rig/own-tree-ender.ts',
  'test/rig/readers-child.ts',
  'test/rig/sessions-changer.ts',
  'test/rig/turn-taker.ts',
  'test/rig/upload-child.ts',
  'test/state/api-errors/appender.ts',
];

/**
 * @returns the folder, in which `a/b.ts` is `a/b.js`; the caller removes it. Also whether any of the tests, or their imports,
 * name dist/, and so may run what was built.
 */
export async function compileTests(files) {
  const outdir = path.join(CACHE, String(process.pid));
  removeLeft();
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    entryPoints: [...files, ...SCRIPTS],
    outdir,
    outbase: '.',
    bundle: true,
    metafile: true,
    // Files that share an import load it from one chunk, so that no module exists twice.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
    loader: { '.ttf': 'base64' },
    plugins: [
      { name: 'place', setup: (build) => build.onLoad({ filter: /\.ts$/ }, keepPlace) },
      // A font is bytes, which Node cannot import.
      {
        name: 'font',
        setup: (build) => build.onResolve({ filter: /\.ttf$/ }, ({ path: name }) => ({ path: require.resolve(name) })),
      },
    ],
  });
  return { outdir, needsBuild: importedBy(files, metafile.inputs).some(namesDist) };
}

/** Includes the files themselves. */
function importedBy(files, inputs) {
  const found = new Set(files);
  for (const file of found) for (const { path: imported } of inputs[file]?.imports ?? []) found.add(imported);
  return [...found];
}

const namesDist = (file) => /^test\/.*\.ts$/.test(file) && /\bdist\b/.test(readFileSync(file, 'utf8'));

/** Keeps the source's folder and path, so that a file still finds its neighbours. */
function keepPlace({ path: file }) {
  const places = { dirname: path.dirname(file), filename: file, url: pathToFileURL(file).href };
  const source = readFileSync(file, 'utf8');
  return {
    loader: 'ts',
    contents: source.replace(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name) => JSON.stringify(places[name])),
  };
}

/** Removes what killed runs have not cleaned up. */
function removeLeft() {
  if (!existsSync(CACHE)) return;
  for (const pid of readdirSync(CACHE)) if (!isAlive(Number(pid))) rmSync(path.join(CACHE, pid), { recursive: true });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Replaces positions in the JavaScript by positions in the sources, in a text such as a stack trace. */
export function toSources(text) {
  const maps = new Map();
  return text
    .replace(/file:\/\/[^\s():]+tollgate-tests[^\s():]+|\/[^\s():]+tollgate-tests[^\s():]+/g, asPath)
    .replace(/(\/[^\s():]+tollgate-tests[^\s():]+\.js):(\d+):(\d+)/g, (whole, file, line, column) => {
      if (!maps.has(file)) maps.set(file, mapOf(file));
      const { originalSource, originalLine, originalColumn } = maps.get(file)?.findEntry(line - 1, column - 1) ?? {};
      if (originalSource === undefined) return whole;
      const source = path.relative('.', path.resolve(path.dirname(file), originalSource));
      return `${source}:${originalLine + 1}:${originalColumn + 1}`;
    });
}

const asPath = (place) => (place.startsWith('file:') ? fileURLToPath(place) : place);

function mapOf(file) {
  return existsSync(`${file}.map`) ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : null;
}
