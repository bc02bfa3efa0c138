// The package as users get it: packed, and installed without a network into an empty project, where every command works.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keptFile } from '../bin/help/kept-help.ts';

const root = mkdtempSync(path.join(tmpdir(), 'package-'));
const [project, home] = ['project', 'home'].map((name) => {
  mkdirSync(path.join(root, name));
  return path.join(root, name);
}) as [string, string];
// Nothing of the npm that runs the tests, and none of its user's settings.
const env = {
  PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: home,
  npm_config_cache: path.join(root, 'cache'),
  NO_COLOR: '1',
};
const INSTALLED = path.join(project, 'node_modules/tollgate');
const TASK = path.join(project, '.tmp/task/checked');

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

// The build is the tests' own; `prepack` would make it anew under those that run beside this one.
const packing = run(path.resolve('.'), 'npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', root]);
const [packed] = JSON.parse(packing.stdout) as [Packed];
writeFileSync(path.join(project, 'package.json'), '{ "name": "somebody", "version": "1.0.0" }\n');
const installing = run(project, 'npm', ['install', '--offline', path.join(root, packed.filename)]);

const filesOf = (folder: string) => readdirSync(folder, { recursive: true }).sort();
const atFirst = filesOf(path.join(project, 'node_modules'));

const { bin, scripts, dependencies, ...manifest } = JSON.parse(
  readFileSync(path.join(INSTALLED, 'package.json'), 'utf8'),
) as { bin: Record<string, string>; scripts: Record<string, string>; dependencies?: object } & Record<string, unknown>;

test('npm has nothing to say about it, and installs it alone', () => {
  assert.equal([installing.status, installing.stderr], [0, '']);
  assert.equal(readdirSync(path.join(project, 'node_modules')).sort(), ['.bin', '.package-lock.json', 'tollgate']);
});

test('it runs no script when it is installed, and is built before it is packed', () => {
  const atInstall = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];
  assert.equal(
    atInstall.filter((name) => name in scripts),
    [],
  );
  assert.is(scripts.prepack, 'node build/build.mjs');
  assert.equal(
    [dependencies, manifest.optionalDependencies, manifest.peerDependencies],
    [undefined, undefined, undefined],
  );
});

test('it holds the bundles, the pages, the examples and the licences, and no source', () => {
  const top = new Set(packed.files.map(({ path: file }) => file.split('/')[0]));
  assert.equal([...top].sort(), [
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'examples',
    'package.json',
    'skills',
  ]);
  const names = packed.files.map(({ path: file }) => file);
  assert.equal(
    names.filter((file) => /\.ts$|\.map$|\.cache$/.test(file) && !file.startsWith('examples/scripts/')),
    [],
  );
  assert.ok(packed.unpackedSize <= 12_000_000, `${packed.unpackedSize} bytes unpacked`);
  assert.ok(packed.size <= 4 * 1024 * 1024, `${packed.size} bytes packed`);
});

test('the notice has the licence of every package that the sources import', () => {
  const notice = readFileSync(path.join(INSTALLED, 'dist/THIRD-PARTY.txt'), 'utf8');
  const named = [...notice.matchAll(/^(\S+)@\d\S* \((.+)\)$/gm)].map(([, name]) => name);
  const wanted = ['@clack/prompts', 'ajv', 'execa', 'fast-glob', 'picocolors', 'picomatch', 'write-file-atomic'];
  wanted.push('yaml', 'yargs', 'zod', 'zx');
  assert.equal(
    wanted.filter((name) => !named.includes(name)),
    [],
  );
  assert.match(notice, /Permission is hereby granted, free of charge/);
});

/** Calls of Node's own require; ajv holds such calls as texts, and zx one of Deno's. */
const REQUIRE = /(?<!['`.])\brequire\("([^"\n]+)"\)/g;

test('every bundle asks for nothing but Node and its neighbours', () => {
  const dist = path.join(INSTALLED, 'dist');
  const strays: string[] = [];
  for (const name of readdirSync(dist).filter((name) => name.endsWith('.cjs')))
    for (const [, wanted] of readFileSync(path.join(dist, name), 'utf8').matchAll(REQUIRE))
      if (!isBuiltin(wanted!) && !(wanted!.startsWith('./') && existsSync(path.join(dist, wanted!))))
        strays.push(`${name} asks for ${wanted}`);
  assert.equal(strays, []);
});

for (const name of Object.keys(bin))
  test(`${name} --help`, () => {
    const { status, stdout, stderr } = ours(name, ['--help']);
    assert.equal([status, stderr], [0, '']);
    assert.match(stdout, 'Exit codes:');
  });

test('each word of tollgate has its help', () => {
  const help = ours('tollgate', ['--help', '--all']).stdout;
  const words = [...help.matchAll(/^.{10}([a-z]+) {2}/gm)].map(([, word]) => word!);
  assert.ok(words.length > 10, words.join());
  const kept = (word: string) => readFileSync(path.join(INSTALLED, 'dist/help', keptFile(`tollgate ${word}`, 'full')));
  const mute = words.filter((word) => !kept(word).includes('Exit codes:'));
  assert.equal([mute, ours('tollgate', [words[0]!, '--help', '--all']).stdout], [[], String(kept(words[0]!))]);
});

test('a wrapper asks the replay CLI', () => {
  writeFileSync(path.join(project, 'ask.md'), 'Say hello.\n');
  const files = ['--prompt-file', 'ask.md', '--out', 'a.out', '--err', 'a.err'];
  assert.equal(ours('gemini_headless.sh', files).status, 0);
  assert.match(readFileSync(path.join(project, 'a.out'), 'utf8'), 'This answer was replayed by a stand-in for gemini.');
  assert.equal(ours('claude_headless', [...files, '--trust-workspace']).status, 0);
  assert.match(readFileSync(path.join(project, 'a.out'), 'utf8'), 'This answer was replayed by a stand-in for claude.');
});

test('a task runs through its manifest and its gate, and a mistake in a schema is found before', () => {
  assert.is(ours('tollgate', ['init', 'checked']).status, 0);
  const manifest = (schema: string) =>
    `task_id: checked\ngoal: Try it.\nstages:\n  - { tool: gemini, role: brief }\n  - { tool: codex, role: impl${schema} }\n`;
  writeFileSync(path.join(TASK, 'manifest.yaml'), manifest(', schema: { type: nonsense }'));
  const refused = ours('tollgate', ['run', 'checked']);
  assert.is(refused.status, 2);
  assert.match(refused.stderr, 'must be equal to one of the allowed values');
  writeFileSync(path.join(TASK, 'manifest.yaml'), manifest(''));
  const { status, stdout } = ours('tollgate', ['run', 'checked', '--json']);
  assert.equal([status, JSON.parse(stdout).state], [0, 'done']);
});

test('preflight looks at the machine, and triage at an error', () => {
  const { findings } = JSON.parse(ours('preflight', ['--json', '--quick']).stdout);
  assert.ok(findings.length > 5);
  writeFileSync(path.join(project, 'err.txt'), 'Error: 429 You have exhausted your daily quota on this model.\n');
  assert.match(ours('tollgate', ['triage', 'err.txt', '--tool', 'gemini', '--exit-code', '1']).stdout, 'quota');
});

test('the example runs from where it is installed', () => {
  const { status, stdout } = run(project, process.execPath, [path.join(INSTALLED, 'examples/start.mjs')]);
  assert.is(status, 0);
  assert.match(stdout, '# Task example-hello: done');
});

test('no command has written to it', () => {
  assert.equal(filesOf(path.join(project, 'node_modules')), atFirst);
  assert.ok(filesOf(path.join(home, '.cache/tollgate/code')).length > 0);
});

test.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
test.run();

function ours(name: string, argv: string[]) {
  return run(project, path.join(project, 'node_modules/.bin', name), argv);
}

function run(cwd: string, command: string, argv: string[]) {
  const replay = path.join(INSTALLED, 'examples/replay');
  return spawnSync(command, argv, { cwd, env: { ...env, PATH: `${replay}:${env.PATH}` }, encoding: 'utf8' });
}
