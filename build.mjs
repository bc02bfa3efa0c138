// Builds one CommonJS bundle for each command into dist/ (CommonJS starts 3 ms sooner than ESM on Node 20), and one for
// each thing that is imported lazily: a bundle that held them all would cost its readers 15 ms of parsing.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { BORROWER, borrow, LENT, nameOf } from './build-lent.mjs';
import { noticeOf, packagesIn } from './build-notice.mjs';
import { pageOf } from './build-page.mjs';

const out = 'dist';
const { bin } = JSON.parse(await readFile('package.json', 'utf8'));
const { COMMANDS } = await tableIn('policies/facts/tools.ts');
const commands = [...new Set(Object.values(bin))].map((file) => path.basename(file, '.cjs'));
for (const name of Object.values(COMMANDS))
  for (const each of [name, `${name}.sh`])
    if (bin[each] !== `dist/${name}.cjs`) throw new Error(`package.json: bin lacks "${each}": "dist/${name}.cjs"`);

/** Bundles with more bytes start with a code cache: `tollgate run` compiles 2 MB otherwise, a tenth of a second. */
const LARGE = 32_768;

/** A bundle of 130 modules would copy the names of node:path, node:fs and so on for each: 5 ms. */
const ONCE = `"use strict"; var __builtins = {}, __builtin = (name) => __builtins[name] ??= __toESM(require(name), 1);`;

/** Evaluated when first asked for, within the bundle that asks: one of its own would hold most of that bundle again. */
const WITHIN = [
  'loops/call/conclude.ts',
  'loops/run/owned-run.ts',
  'loops/settle/close-orphaned-call.ts',
  'loops/stage/early-guardian.ts',
  'loops/stage/stage-gate.ts',
  'loops/stage/stage.ts',
  'loops/tamper-guard/left-judge.ts',
  'policies/gate/signed.ts',
  'policies/redact/create-redactor.ts',
].map((file) => path.resolve(file));

/** Prints the help of all commands. */
const EVERY_HELP = 'every-help';

/** Without its comments and spaces: V8 reads it at each start, and each bundle has one. */
const { code: starter } = await transform(await readFile('bin/cached-start.cjs', 'utf8'), { minifyWhitespace: true });

/** What was imported lazily and still has no bundle: its name, and the file to begin with. */
let wanted = Object.fromEntries(commands.map((name) => [name, `bin/${name}.ts`]));
wanted.library = 'library/library.ts';
wanted[EVERY_HELP] = `bin/help/${EVERY_HELP}.ts`;
const built = new Set();
const metafiles = [];

await rm(out, { recursive: true, force: true });
while (Object.keys(wanted).length > 0) {
  const entryPoints = wanted;
  for (const name of Object.keys(entryPoints)) built.add(name);
  wanted = {};
  const { [nameOf(BORROWER)]: borrower, ...others } = entryPoints;
  metafiles.push((await bundle(others)).metafile);
  if (borrower !== undefined) metafiles.push((await bundle({ [nameOf(BORROWER)]: borrower }, LENT)).metafile);
}
const texts = await textsOf([...built]);
for (const [name, text] of texts) await finish(name, text);
await keepHelp();
await shipLibrary();
await shipPage();
await writeFile(`${out}/THIRD-PARTY.txt`, noticeOf(packagesIn(metafiles)));
await Promise.all(commands.map((name) => chmod(`${out}/${name}.cjs`, 0o755)));

/** A file of literals alone, which imports nothing. */
async function tableIn(file) {
  const { code } = await transform(await readFile(file, 'utf8'), { loader: 'ts', format: 'esm' });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** @param borrowed the files that it takes out of the lender's bundle. */
function bundle(entryPoints, borrowed = []) {
  return build({
    entryPoints,
    outdir: out,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    // Kept as it is, import() would load Node's whole ESM loader: 11 ms.
    supported: { 'dynamic-import': false },
    banner: { js: `#!/usr/bin/env node\n${ONCE}` },
    // A bundled ESM package asks for import.meta.url; CommonJS has none.
    define: { 'import.meta.url': '__bundleUrl' },
    inject: ['bin/bundle-url.js'],
    // The font of code in a PDF.
    loader: { '.ttf': 'base64' },
    // dist/THIRD-PARTY.txt says them all.
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [
      { name: 'borrow', setup: (build) => borrow(build, borrowed) },
      { name: 'lazy', setup: (build) => build.onResolve({ filter: /./ }, (args) => part(build, args)) },
    ],
  });
}

/** By name, what esbuild made, with what it sees of each builtin made once. */
async function textsOf(names) {
  const read = async (name) => {
    const bundle = await readFile(`${out}/${name}.cjs`, 'utf8');
    return [name, inAscii(name, bundle.replace(/__toESM\(require\(("node:[\w/]+")\), 1\)/g, '__builtin($1)'))];
  };
  return new Map(await Promise.all(names.map(read)));
}

/** Of a large bundle puts the starter in its place, and it beside; what it imports lazily is started by that. */
async function finish(name, text) {
  if (text.length < LARGE) await writeFile(`${out}/${name}.cjs`, text);
  else
    await startCached(
      name,
      text
        .replace(/^#!.*\n/, '')
        .replace(/\brequire\("\.\/([\w-]+)\.cjs"\)/g, (asks, part) =>
          (texts.get(part)?.length ?? 0) < LARGE ? asks : `__start("${part}")`,
        ),
    );
}

/** Other signs, which esbuild leaves in regular expressions and comments, as escapes: ASCII is read three times as fast. */
function inAscii(name, bundle) {
  const [escaped] = /(?<!\\)(?:\\\\)*\\[^\0-\x7f].*/.exec(bundle) ?? [];
  if (escaped !== undefined) throw new Error(`${name}: a sign beyond ASCII stands after a backslash: ${escaped}`);
  return bundle.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One function, as `bin/cached-start.cjs` calls it: put around it there, it would be copied at each start. */
async function startCached(name, bundle) {
  const hash = createHash('sha256').update(bundle).digest('hex').slice(0, 16);
  const parameters = 'exports, require, module, __filename, __dirname, __start';
  await writeFile(`${out}/${name}.body.cjs`, `(function (${parameters}) {${bundle}\n})\n//${hash}`);
  await writeFile(`${out}/${name}.cjs`, `#!/usr/bin/env node\n${starter.replaceAll('NAME', name)}`);
}

/** A file for each command: printing it anew would cost 80 ms. What prints them is not shipped. */
async function keepHelp() {
  // Without a home it leaves no code cache: that of a run that prints help would hold little.
  const { stdout } = await promisify(execFile)(process.execPath, [`${out}/${EVERY_HELP}.cjs`], {
    maxBuffer: 2 ** 24,
    env: { ...process.env, HOME: '', XDG_CACHE_HOME: '' },
  });
  await mkdir(`${out}/help`);
  const { texts, completed } = JSON.parse(stdout);
  await writeFile(`${out}/help/completion.json`, JSON.stringify(completed));
  for (const [command, text] of Object.entries(texts))
    await writeFile(`${out}/help/${command.replaceAll(' ', '-')}.txt`, text);
  for (const file of await readdir(out)) if (file.includes(EVERY_HELP)) await rm(`${out}/${file}`);
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
  const surface = (await readFile('library/surface.ts', 'utf8'))
    .replace(/^import type .*\n/gm, '')
    .replace(
      'export type { ErrorClass, FailureReason, NextAction };\n',
      `${union('ErrorClass', Object.keys(CLASSES))}\n${union('FailureReason', FAILURE_REASONS)}\n${nextAction}\n`,
    );
  if (/^import|ErrorClass, FailureReason/m.test(surface))
    throw new Error('library/surface.ts: an import is not written out');
  return surface;
}

/** The page of `tollgate console`, which reads it when it is first asked for. */
async function shipPage() {
  const { html, metafile } = await pageOf('console/page/main.tsx', 'console/page/style/style.css');
  metafiles.push(metafile);
  await writeFile(`${out}/console.html`, html);
}

/** Makes a lazy import a bundle of its own, beside the one that asks for it. */
async function part(build, { path: wish, kind, importer, resolveDir }) {
  if (kind !== 'dynamic-import' || isBuiltin(wish)) return undefined;
  const { path: file } = await build.resolve(wish, { kind: 'import-statement', importer, resolveDir });
  if (WITHIN.includes(file)) return undefined;
  const known = file.split('node_modules/').at(-1) ?? file;
  const name = nameOf(known);
  if (!built.has(name)) wanted[name] = file;
  return { path: `./${name}.cjs`, external: true };
}
