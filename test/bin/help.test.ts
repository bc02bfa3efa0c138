// The help of every built command: it is printed, has examples and exit codes, and goes to stdout.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderHelp } from '../../bin/help/help.ts';
import { colouredHelp } from '../../bin/help/kept-help.ts';
import { GROUPS, SUBCOMMANDS } from '../../bin/tollgate/subcommands.ts';
import { wrapperSpec } from '../../bin/wrapper/wrapper-flags.ts';
import { COMMANDS, TOOLS } from '../../policies/facts/tools.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('help');
test.before(async (context) => {
  context.rig = await TestRig.open();
});
test.after(({ rig }) => rig.dispose());

const WRAPPERS = [...Object.values(COMMANDS), 'preflight', 'wait_parallel_tasks'].map((name) => [name, []] as const);
const WORDS = Object.keys(SUBCOMMANDS).map((word) => ['tollgate', [word]] as const);

interface Printed {
  common?: string[];
  flags: Record<string, object>;
  families: { shown: string }[];
}

const DISTILL_RESUME = ['tollgate', ['distill', 'resume']] as const;
for (const [command, words] of [...WRAPPERS, ...WORDS, DISTILL_RESUME])
  test(`${[command, ...words].join(' ')}: --help has at most ten flags or the common ones, --help --all has every flag`, async ({
    rig,
  }) => {
    const print = async (...flags: string[]) => (await rig.run(command, [...words, ...flags])).stdout;
    const { common, flags, families }: Printed = JSON.parse(await print('--help', '--json'));
    const names = Object.keys(flags);
    const all = await print('--help', '--all');
    assert.equal(shownFlags(all).sort(), [...names, ...families.map(({ shown }) => shown.slice(2))].sort());
    assert.is(common !== undefined, names.length - SHARED > 10, `${names.length - SHARED} flags`);
    const { code, stdout: short, stderr } = await rig.run(command, [...words, '--help']);
    assert.equal([code, stderr], [0, '']);
    const tool = TOOLS.find((one) => COMMANDS[one] === command);
    if (tool !== undefined) {
      // The help that was kept at build time.
      const spec = wrapperSpec(adapterOf(tool));
      assert.equal([short, all], [await renderHelp(spec, 'short'), await renderHelp(spec, 'full')]);
    }
    for (const part of ['Options:', 'Examples:', 'Exit codes:', '--json', '--quiet']) assert.match(short, part);
    if (common === undefined) return;
    assert.equal(shownFlags(short), common);
    assert.match(short, `--help --all shows all ${names.length} flags`);
    assert.equal(tooWide(short), []);
  });

test('tollgate run --help has exactly eight flags, and says how to see every flag', async ({ rig }) => {
  const { stdout } = await rig.run('tollgate', ['run', '--help']);
  assert.is(shownFlags(stdout).length, 8);
  assert.match(stdout, /^tollgate run --help --all shows all \d+ flags/m);
  assert.is((await rig.run('tollgate', ['help', 'run'])).stdout, stdout);
  const all = await rig.run('tollgate', ['run', '--help', '--all']);
  assert.equal(await rig.run('tollgate', ['help', 'run', '--all']), all);
  const json = await rig.run('tollgate', ['run', '--help', '--json']);
  assert.equal(await rig.run('tollgate', ['help', 'run', '--json']), json);
  assert.equal(await rig.run('tollgate', ['run', '--all', '--help']), all);
  assert.is.not(all.stdout, stdout);
});

test('tollgate --help fits a terminal of 24 lines, and names every command in its group', async ({ rig }) => {
  const { stdout } = await rig.run('tollgate', ['--help']);
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length < 24, `${lines.length} lines`);
  assert.equal(tooWide(stdout), []);
  const rows = lines.map((line) => /^.{10}([a-z]+) {2,}(.*)/.exec(line)).filter((row) => row !== null);
  const named = rows.flatMap(([, name, text]) => (name === 'also' ? text!.split(', ') : [name!]));
  assert.equal(named.sort(), Object.keys(SUBCOMMANDS).sort());
  assert.equal(groupsOf(lines), [...GROUPS]);
});

test('tollgate --help --all has one line for each command, in groups', async ({ rig }) => {
  const all = await rig.run('tollgate', ['--help', '--all']);
  assert.equal(await rig.run('tollgate', ['help', '--all']), all);
  const lines = all.stdout.trimEnd().split('\n');
  assert.equal(tooWide(all.stdout), []);
  const named = lines.filter((line) => /^.{10}[a-z]+ {2}/.test(line)).map((row) => row.slice(10).split(' ')[0]);
  assert.equal(named.sort(), Object.keys(SUBCOMMANDS).sort());
  assert.equal(groupsOf(lines), [...GROUPS]);
});

const groupsOf = (lines: readonly string[]) =>
  lines.map((line) => /^([a-z]+) +[a-z]+ {2}/.exec(line)?.[1]).filter((group) => group !== undefined);

test('--all without --help is an unknown flag', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['run', '--all']);
  assert.equal([code, stderr.split(/[;\n]/)[0]], [2, 'tollgate run: unknown flag --all']);
});

/** The flags of every command. */
const SHARED = 4;

const shownFlags = (help: string) =>
  [...help.split(/^(?:Options|Examples):$/m)[1]!.matchAll(/^ {2,6}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name!);

const tooWide = (help: string) => help.split('\n').filter((line) => line.length > 80);

const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));

for (const [command, words] of [...WRAPPERS, ['tollgate', []] as const, ['tollgate', ['report']] as const])
  test(`${[command, ...words].join(' ')} -V, also --version and as an object`, async ({ rig }) => {
    const print = (...flags: string[]) => rig.run(command, [...words, ...flags]);
    const printed = { code: 0, signal: null, stdout: `${version}\n`, stderr: '' };
    assert.equal(await print('-V'), printed);
    if (command === 'run_codex' || (command === 'tollgate' && words.length === 0)) {
      assert.equal(await print('--version'), printed);
      assert.equal(JSON.parse((await print('-V', '--json')).stdout), { schema: 1, version });
    }
  });

test('on a terminal the headings and the flags of a help are coloured, and its words stay', async () => {
  const help = await renderHelp(wrapperSpec(adapterOf('codex')), 'short');
  const { NO_COLOR, TERM } = process.env;
  Object.assign(process.env, { NO_COLOR: '', TERM: 'xterm' });
  const coloured = await colouredHelp(help, true);
  Object.assign(process.env, { NO_COLOR: NO_COLOR ?? '', TERM: TERM ?? '' });
  assert.match(coloured, '\u001b[1mExit codes:\u001b[22m\n');
  assert.match(coloured, /\u001b\[36m +(?:-\w, )?--timeout-ms\u001b\[39m/);
  assert.is(stripVTControlCharacters(coloured), help);
  assert.is(await colouredHelp(help, false), help);
});

test.run();
