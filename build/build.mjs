// Builds dist/: a CommonJS bundle of what every command starts with, one of the rest of our code, one for each package that
// they import, and a starter for each command. CommonJS starts 3 ms sooner than ESM on Node 20.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { noticeOf, packagesIn } from './notice.mjs';
import { lateScriptOf, pageOf } from './page.mjs';
import { hashSources, stampBuild } from './sources.mjs';

const out = 'dist';
const sources = hashSources();
const { bin } = JSON.parse(await readFile('package.json', 'utf8'));
const { COMMANDS } = await tableIn('policies/facts/tools.ts');
const commands = [...new Set(Object.values(bin))].map((file) => path.basename(file, '.cjs'));
for (const name of Object.values(COMMANDS))
  for (const each of [name, `${name}.sh`])
    if (bin[each] !== `dist/${name}.cjs`) throw new Error(`package.json: bin lacks "${each}": "dist/${name}.cjs"`);

/** Modules that start a process of themselves: each has a starter. */
const APART = ['loops/gate/schema-process.ts', 'loops/distill/export/render-export.ts', 'loops/upkeep/sweep.ts'];
/** Bytes of a font, and a list of names of which few are used: the bundle that imports them holds what it needs of them. */
const WITHIN = /\.ttf$|semantic-conventions/;

/** Large packages that no stack of ours shows. */
const LARGE = new Set(
  ['fontkit', 'google', 'modelcontextprotocol', 'opentelemetry', 'pdfmake', 'pg', 'pg-boss', 'zod'].map(
    (name) => `package-${name}`,
  ),
);
/** Loaded by code that we never call: pg's other driver, and the schedules of pg-boss. */
const UNUSED = /^(?:pg-native|rrule-temporal|cron-parser)$/;

const COMMAND_FILES = commands.map((name) => `bin/${name}.ts`);
/** What can be started, by name. */
const STARTED = {
  ...Object.fromEntries([...COMMAND_FILES, ...APART].map((file) => [path.basename(file, '.ts'), file])),
  library: 'library/library.ts',
  // For the tests, which run subcommands in their own process.
  subcommands: 'bin/tollgate/subcommands.ts',
  'every-help': 'bin/help/every-help.ts',
};

/** What a command loads before it knows what to do, and what a call needs that ends well: it is read at each start, so it is kept apart from the rest. */
const core = await importedBy([
  ...COMMAND_FILES,
  'bin/tollgate/call.ts',
  'bin/wrapper/one-line.ts',
  'loops/call/conclude.ts',
]);
/** Of each bundle, by name: the modules that are called for, by what they are called. Each is evaluated when it is first called for. */
const bundles = new Map();
const metafiles = [];
for (const file of Object.values(STARTED)) callFor(file, path.resolve(file));

await rm(out, { recursive: true, force: true });
await mkdir(out);
const texts = new Map();
// Bundling one shows what it calls for in another.
const sizes = new Map();
for (let name = nextOf(); name !== undefined; name = nextOf()) {
  sizes.set(name, bundles.get(name).size);
  texts.set(name, await textOf(name));
}
for (const [name, text] of texts) await writeBody(name, text);
// Without its comments and spaces: V8 reads it at each start.
const { code: starter } = await transform(await readFile('bin/cached-start.cjs', 'utf8'), { minifyWhitespace: true });
for (const [name, file] of Object.entries(STARTED)) {
  const text = starter.replaceAll('NAME', name).replace('BUNDLE', bundleOf(file)).replace('MODULE', file);
  await writeFile(`${out}/${name}.cjs`, `#!/usr/bin/env node\n${text}`);
}
await keepHelp();
await shipLibrary();
await shipPage();
await writeFile(`${out}/THIRD-PARTY.txt`, noticeOf(packagesIn(metafiles)));
await Promise.all(commands.map((name) => chmod(`${out}/${name}.cjs`, 0o755)));
stampBuild(sources);

/** A file of literals alone, which imports nothing. */
async function tableIn(file) {
  const { code } = await transform(await readFile(file, 'utf8'), { loader: 'ts', format: 'esm' });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The files of ours that these import, without those that are imported lazily. */
async function importedBy(entryPoints) {
  const notLazy = ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined);
  const { metafile } = await build({
    entryPoints,
    outdir: out,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [{ name: 'lazy', setup: (build) => build.onResolve({ filter: /./ }, notLazy) }],
  });
  return new Set(Object.keys(metafile.inputs));
}

/** The bundle of one of our files, or of a module of a package: those of one scope are one. */
function bundleOf(module) {
  if (module.startsWith('fleet/')) return 'fleet';
  if (/\.tsx?$/.test(module)) return core.has(module) ? 'core' : 'ours';
  return `package-${/^@?([\w-]+)/.exec(module)[1]}`;
}

function callFor(module, file) {
  const name = bundleOf(module);
  if (!bundles.has(name)) bundles.set(name, new Map());
  bundles.get(name).set(module, file);
  return { path: `./${name}.cjs?${module}`, external: true };
}

/** One that has not been bundled with all that is called for in it. */
function nextOf() {
  return [...bundles.keys()].find((name) => sizes.get(name) !== bundles.get(name).size);
}

async function textOf(name) {
  // In one order, whichever was called for first.
  const modules = [...bundles.get(name)].sort();
  const isPackage = name.startsWith('package-');
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: modules.map(([module, file]) => `exports['${module}'] = () => require('${file}');`).join('\n'),
      resolveDir: '.',
    },
    // Ours stays readable in a stack.
    minifyWhitespace: isPackage,
    minifySyntax: isPackage,
    minifyIdentifiers: LARGE.has(name),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    // Kept as it is, import() would load Node's whole ESM loader: 11 ms.
    supported: { 'dynamic-import': false },
    // A bundled ESM package asks for import.meta.url; CommonJS has none. writeBody defines it.
    define: { 'import.meta.url': '__url' },
    // The font of code in a PDF.
    loader: { '.ttf': 'base64' },
    // dist/THIRD-PARTY.txt says them all.
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [
      { name: 'unused', setup: leaveOutUnused },
      { name: 'others', setup: (build) => build.onResolve({ filter: /./ }, (args) => otherBundle(build, args, name)) },
      { name: 'apart', setup: (build) => build.onLoad({ filter: /\.ts$/ }, placeOfStarter) },
    ],
  });
  metafiles.push(metafile);
  return outputFiles[0].text;
}

/** Takes from another bundle what is in that one. @param self the bundle that is made. */
async function otherBundle(build, { path: specifier, importer, resolveDir, pluginData }, self) {
  if (pluginData === 'seen' || importer === '<stdin>' || isBuiltin(specifier) || WITHIN.test(specifier))
    return undefined;
  const isOurs = !importer.includes('node_modules');
  const isOfPackage = /^[^./]/.test(specifier);
  if (!isOurs && !isOfPackage) return undefined;
  const asked = { kind: 'import-statement', importer, resolveDir, pluginData: 'seen' };
  const { path: file } = await build.resolve(specifier, asked);
  const module = isOfPackage ? specifier : path.relative('.', file);
  if (!isOfPackage && !/\.tsx?$/.test(module)) return undefined;
  const name = bundleOf(module);
  return name === self || !(isOurs || bundles.has(name)) ? undefined : callFor(module, file);
}

function leaveOutUnused(build) {
  build.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
  build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
}

/** Its process is started with the module's own starter. */
async function placeOfStarter({ path: file }) {
  const name = path.relative('.', file);
  if (!APART.includes(name)) return undefined;
  const contents = await readFile(file, 'utf8');
  return {
    loader: 'ts',
    contents: contents.replaceAll('import.meta.url', `new URL('${path.basename(name, '.ts')}.cjs', import.meta.url)`),
  };
}

/** One function, as `bin/cached-start.cjs` calls it, with a hash of it behind. */
async function writeBody(name, text) {
  const bundle = inAscii(name, text).replace(
    /(__toESM\()?require\("\.\/([\w-]+)\.cjs\?([^"]+)"\)(, ?1\))?/g,
    // An ES module has its own `default`; that of another one is all that it exports.
    (_, opened = '', from, module, closed = '') =>
      `${opened}__start("${from}")["${module}"]()${closed && isEsm(from, module) ? ')' : closed}`,
  );
  const hash = createHash('sha256').update(bundle).digest('hex').slice(0, 16);
  const parameters = 'exports, require, module, __filename, __dirname, __url, __start';
  await writeFile(`${out}/${name}.body.cjs`, `(function (${parameters}) {${bundle}\n})\n//${hash}`);
}

function isEsm(name, module) {
  const file = path.relative('.', bundles.get(name).get(module));
  return metafiles.some(({ inputs }) => inputs[file]?.format === 'esm');
}

/** Other signs, which esbuild leaves in regular expressions and comments, as escapes: ASCII is read three times as fast. */
function inAscii(name, bundle) {
  const [escaped] = /(?<!\\)(?:\\\\)*\\[^\0-\x7f].*/.exec(bundle) ?? [];
  if (escaped !== undefined) throw new Error(`${name}: a sign beyond ASCII stands after a backslash: ${escaped}`);
  return bundle.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A file for each command: printing it again would cost 80 ms. */
async function keepHelp() {
  // Without a home it leaves no code cache in that of who builds.
  const { stdout } = await promisify(execFile)(process.execPath, [`${out}/every-help.cjs`], {
    maxBuffer: 2 ** 24,
    env: { ...process.env, HOME: '', XDG_CACHE_HOME: '' },
  });
  await rm(`${out}/every-help.cjs`);
  await mkdir(`${out}/help`);
  const { texts, completed } = JSON.parse(stdout);
  await writeFile(`${out}/help/completion.json`, JSON.stringify(completed));
  for (const [file, text] of Object.entries(texts)) await writeFile(`${out}/help/${file}`, text);
}

/** For `import`, names that are seen without running it; and its types: the surface, and of each function which it is. */
async function shipLibrary() {
  const source = await readFile('library/library.ts', 'utf8');
  const functions = [...source.matchAll(/^export const (\w+): (\w+) =/gm)].map(([, name, type]) => ({ name, type }));
  const names = functions.map(({ name }) => name).join(', ');
  // A bundler copies this file into a program: the rest is read from the installed package, wherever the bundle is.
  const installed =
    "createRequire(typeof __filename === 'string' ? __filename : import.meta.url)('tollgate/dist/library.cjs')";
  await writeFile(
    `${out}/library.mjs`,
    `import { createRequire } from 'node:module';\n\nexport const { ${names} } = ${installed};\n`,
  );
  await writeFile(
    `${out}/library.require.cjs`,
    `module.exports = require('node:module').createRequire(typeof __filename === 'string' ? __filename : process.argv[1])('tollgate/dist/library.cjs');\n`,
  );
  const declared = functions.map(({ name, type }) => `export declare const ${name}: ${type};\n`);
  const types = `${await publishedSurface()}\n${declared.join('')}`;
  for (const kind of ['mts', 'cts']) await writeFile(`${out}/library.d.${kind}`, types);
}

/** The surface by itself: the types that it takes from the policies are written out. */
async function publishedSurface() {
  const { CLASSES } = await tableIn('policies/facts/classes.ts');
  const bundled = { bundle: true, write: false, format: 'esm', platform: 'node' };
  const { outputFiles } = await build({ ...bundled, entryPoints: ['policies/verdict/reasons.ts'] });
  const { FAILURE_REASONS } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  const union = (name, words) => `export type ${name} =\n${words.map((word) => `  | '${word}'`).join('\n')};\n`;
  const [nextAction] = /^export interface NextAction \{[\s\S]*?^\}/m.exec(
    await readFile('policies/facts/next-action.ts', 'utf8'),
  );
  const files = ['library/surface.ts', 'library/call-surface.ts'];
  const surface = (await Promise.all(files.map((file) => readFile(file, 'utf8'))))
    .join('\n')
    .replace(/^import type .*\n/gm, '')
    .replace(
      'export type { ErrorClass, FailureReason, NextAction };\n',
      `${union('ErrorClass', Object.keys(CLASSES))}\n${union('FailureReason', FAILURE_REASONS)}\n${nextAction}\n`,
    );
  if (/^import|ErrorClass, FailureReason/m.test(surface))
    throw new Error('library/surface.ts: an import is not written out');
  return surface;
}

/** The page of `tollgate console`, which reads it when it is first asked for, and the scripts that it loads later. */
async function shipPage() {
  const { html, metafile } = await pageOf('console/page/main.tsx', 'console/page/style/style.css');
  metafiles.push(metafile);
  await writeFile(`${out}/console.html`, html);
  for (const [name, file] of Object.entries({ editor: 'manifest/editor.ts', colours: 'text/code-colours.ts' })) {
    const late = await lateScriptOf(`console/page/${file}`);
    metafiles.push(late.metafile);
    await writeFile(`${out}/console-${name}.js`, late.script);
  }
}
