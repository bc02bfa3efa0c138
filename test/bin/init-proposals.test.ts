// What tollgate init takes out of a repository, and what it asks on a terminal; nothing of the repository is run, and who leaves leaves nothing.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { describeRepository } from '../../policies/manifest/repository.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('proposals of tollgate init');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex', 'gemini'] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

const TESTED = '{"scripts":{"test":"$(touch ran)"}}';

const ROWS: readonly (readonly [files: Record<string, string>, languages: string[], command: string | null])[] = [
  [{}, [], null],
  [{ 'package.json': TESTED }, ['JavaScript'], 'npm test'],
  [{ 'package.json': TESTED, 'tsconfig.json': '', 'pnpm-lock.yaml': '' }, ['TypeScript'], 'pnpm test'],
  [{ 'package.json': TESTED, 'yarn.lock': '' }, ['JavaScript'], 'yarn test'],
  [{ 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, ['JavaScript'], null],
  [{ 'package.json': '[not json', 'go.mod': '' }, ['JavaScript', 'Go'], 'go test ./...'],
  [{ 'Cargo.toml': '' }, ['Rust'], 'cargo test'],
  [{ 'pyproject.toml': '[tool.pytest.ini_options]' }, ['Python'], 'python -m pytest'],
  [{ 'pyproject.toml': 'pytest', 'uv.lock': '' }, ['Python'], 'uv run pytest'],
  [{ 'setup.py': '', tests: '' }, ['Python'], 'python -m unittest discover'],
  [{ 'pom.xml': '', mvnw: '' }, ['Java'], './mvnw test'],
  [{ 'build.gradle.kts': '' }, ['Java'], 'gradle test'],
  [{ Gemfile: '', spec: '' }, ['Ruby'], 'bundle exec rspec'],
  [{ 'mix.exs': '' }, ['Elixir'], 'mix test'],
  [{ Makefile: 'all:\n\ntest: all\n\t./check\n' }, [], 'make test'],
  [{ Makefile: 'test := x\n' }, [], null],
];
for (const [files, languages, command] of ROWS)
  test(`${Object.keys(files).join(', ') || 'nothing'}: ${command}`, () => {
    const found = describeRepository({ has: (name) => Object.hasOwn(files, name), text: (name) => files[name] ?? '' });
    assert.equal([found.languages, found.tests?.command ?? null], [languages, command]);
  });

const manifest = (rig: TestRig, id: string) => {
  const text = readFileSync(path.join(rig.project, '.tmp/task', id, 'manifest.yaml'), 'utf8');
  return { text, value: parse(text) };
};

test('the stage of a new task calls a CLI that is installed, and CLIs that a pipeline lacks are named', async () => {
  const rig = await TestRig.open({ tools: ['codex'] });
  const { stdout } = await rig.run('tollgate', ['init', 'a', '--goal', 'x']);
  assert.match(stdout, /^Its stage calls codex, which is installed here\.$/m);
  assert.equal(manifest(rig, 'a').value.stages, [{ tool: 'codex', role: 'brief' }]);
  const named = await rig.run('tollgate', ['init', 'b', '--pipeline', 'design_only', '--goal', 'x']);
  assert.match(named.stdout, /^design_only calls gemini and copilot, not installed here: `tollgate doctor` gives/m);
  const whole = await rig.run('tollgate', ['init', 'c', '--pipeline', 'one_shot_impl', '--goal', 'x']);
  assert.match(whole.stdout, /^one_shot_impl calls gemini, not installed here/m);
  rig.dispose();
});

test('without a terminal the proposal is filled in and said, and flags win', async ({ rig }) => {
  rig.write('package.json', TESTED);
  const { code, stdout } = await rig.run('tollgate', ['init', 'a', '--pipeline', 'one_shot_impl', '--goal', 'x']);
  assert.is(code, 0);
  assert.match(
    stdout,
    '`npm test` must succeed in the end (package.json says so; acceptance.commands of the manifest).\n',
  );
  assert.equal(manifest(rig, 'a').value.acceptance, { commands: ['npm test'] });
  await rig.run('tollgate', [
    'init',
    'b',
    '--pipeline',
    'one_shot_impl',
    '--acceptance',
    'make check',
    '--budget',
    '3',
  ]);
  const { acceptance, budgets } = manifest(rig, 'b').value;
  assert.equal([acceptance, budgets], [{ commands: ['make check'] }, { paid_call_budget: 3 }]);
  // None of its stages would run it.
  await rig.run('tollgate', ['init', 'c', '--pipeline', 'design_only']);
  assert.is(manifest(rig, 'c').value.acceptance, undefined);
  assert.match(manifest(rig, 'c').text, '#commands: ["npm test"]');
  assert.not.ok(existsSync(path.join(rig.project, 'ran')));
});

test('an acceptance command that no stage runs becomes a comment; a supervised task runs it', async ({ rig }) => {
  const flags = ['--acceptance', 'make check'];
  const designed = await rig.run('tollgate', ['init', 'a', '--pipeline', 'design_only', ...flags]);
  assert.match(designed.stdout, /^No stage runs `make check`: only a verify stage does, as --pipeline one_shot_impl/m);
  assert.is(manifest(rig, 'a').value.acceptance, undefined);
  const supervised = await rig.run('tollgate', ['init', 'b', '--supervise', ...flags]);
  assert.match(supervised.stdout, '`make check` must succeed in the end (acceptance.commands of the manifest).\n');
  assert.equal(manifest(rig, 'b').value.acceptance, { commands: ['make check'] });
});

test('a FIFO in the place of a file says nothing, and holds nobody up', async ({ rig }) => {
  execFileSync('mkfifo', [path.join(rig.project, 'package.json')]);
  const { code, stdout } = await rig.run('tollgate', ['init', 'a', '--json']);
  assert.equal([code, JSON.parse(stdout).repository], [0, { languages: ['JavaScript'], tests: null }]);
});

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const can = hasTerminal ? test : test.skip;
if (!hasTerminal) console.log('SKIPPED: there is no script(1) of util-linux to give a command a terminal');

/** Each answer is typed once its question is there. */
async function onTerminal(rig: TestRig, line: string, answers: readonly (readonly [question: RegExp, keys: string])[]) {
  const command = `stty cols 100 rows 40; ${process.execPath} ${path.resolve('dist/tollgate.cjs')} ${line}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: rig.project,
    env: { ...rig.env, TERM: 'xterm', SHELL: '/bin/sh' },
  });
  let said = '';
  const left = [...answers];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
    const [next] = left;
    if (next?.[0].test(said)) {
      left.shift();
      child.stdin.write(next[1]);
    }
  });
  const [code] = await once(child, 'close');
  return { said, code: code as number, unasked: left.length };
}

can('on a terminal it asks for what is not said, each answer with a proposal', async ({ rig }) => {
  rig.write('package.json', TESTED);
  const { code, said, unasked } = await onTerminal(rig, 'init --pipeline one_shot_impl', [
    [/Name of the task/, 'mend\r'],
    [/What is to be achieved/, 'Mend the login.\r'],
    [/Paid calls at most/, '7\r'],
    [/must succeed in the end/, '\r'],
  ]);
  assert.equal([code, unasked], [0, 0], said);
  assert.match(said, /written in JavaScript, tested by npm test \(package\.json\)/);
  assert.match(said, /Installed CLIs: gemini, codex\./);
  const { goal, pipeline, budgets, acceptance } = manifest(rig, 'mend').value;
  assert.equal(
    [goal, pipeline, budgets, acceptance],
    ['Mend the login.', 'one_shot_impl', { paid_call_budget: 7 }, { commands: ['npm test'] }],
  );
});

can('Ctrl-C leaves nothing behind', async ({ rig }) => {
  const { code, said } = await onTerminal(rig, 'init', [
    [/Name of the task/, 'mend\r'],
    [/What is to be achieved/, '\u0003'],
  ]);
  assert.is(code, 130, said);
  assert.match(said, /cancelled; nothing was written/);
  assert.not.ok(existsSync(path.join(rig.project, '.tmp')));
  assert.not.ok(existsSync(path.join(rig.project, '.gitignore')));
});

test.run();
