// Compiles test files and what they import to plain JavaScript once, since tsx in each of their processes costs 0.3 s of CPU.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);

/** Below node_modules, so that packages are found from there. */
const CACHE = path.resolve('node_modules/.cache/tollgate-tests');

/** Scripts that tests start as processes of their own; see own-script.ts. */
const SCRIPTS = [
  'test/rig/own-tree-ender.ts',
  'test/rig/readers-child.ts',
  'test/rig/sessions-changer.ts',
  'test/rig/turn-taker.ts',
  'test/rig/upload-child.ts',
  'test/state/api-errors/appender.ts',
];

/**
 * @returns the folder, in which `a/b.ts` is `a/b.js`; the caller removes it. And whether any of the tests, or what it imports,
 * names dist/, and so may run what was built.
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
    // What two files import is loaded from one chunk: no module is there twice.
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
      // A font is bytes, which Node does not import.
      {
        name: 'font',
        setup: (build) => build.onResolve({ filter: /\.ttf$/ }, ({ path: name }) => ({ path: require.resolve(name) })),
      },
    ],
  });
  return { outdir, needsBuild: importedBy(files, metafile.inputs).some(namesDist) };
}

/** With themselves. */
function importedBy(files, inputs) {
  const found = new Set(files);
  for (const file of found) for (const { path: imported } of inputs[file]?.imports ?? []) found.add(imported);
  return [...found];
}

const namesDist = (file) => /^test\/.*\.ts$/.test(file) && /\bdist\b/.test(readFileSync(file, 'utf8'));

/** A file still finds what lies beside its source. */
function keepPlace({ path: file }) {
  const places = { dirname: path.dirname(file), filename: file, url: pathToFileURL(file).href };
  const source = readFileSync(file, 'utf8');
  return {
    loader: 'ts',
    contents: source.replace(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name) => JSON.stringify(places[name])),
  };
}

/** What runs that were killed left. */
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

/** Puts the places in the sources where a text, such as a stack, names those in the JavaScript. */
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
