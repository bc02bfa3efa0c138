// tollgate init: a folder to fill in, whose manifest is valid as it is and with every field in use; nothing is overwritten.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MANIFEST_FIELDS } from '../../policies/manifest/manifest-fields.ts';
import { TAKEN_OUT } from '../../policies/manifest/new-task-files.ts';
import { PIPELINES } from '../../policies/manifest/pipelines.ts';
import { NO_PROJECT_FILE } from '../../policies/manifest/project-file.ts';
import { readManifest } from '../../state/project/manifest.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate init');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

const SCHEMA = path.resolve(import.meta.dirname, '../../docs/schemas/TASK_SCHEMA.json');

test('it writes the folder, and says what to type next', async ({ rig }) => {
  assert.equal(await rig.run('tollgate', ['init', 'fix-login']), {
    code: 0,
    signal: null,
    stdout: [
      'Wrote the task fix-login in .tmp/task/fix-login.\nNext:',
      '  fill in  .tmp/task/fix-login/manifest.yaml',
      '  fill in  .tmp/task/fix-login/inputs/user_request.md',
      '  fill in  .tmp/task/fix-login/inputs/context_pack.md',
      '  preview  tollgate run fix-login --dry-run',
      '  run      tollgate run fix-login',
      '',
    ].join('\n'),
    stderr: '',
  });
  const text = readFileSync(path.join(rig.project, '.tmp/task/fix-login/manifest.yaml'), 'utf8');
  assert.is(text.split('\n')[0], `# yaml-language-server: $schema=${SCHEMA}`);
  assert.ok(existsSync(SCHEMA));
  const request = readFileSync(path.join(rig.project, '.tmp/task/fix-login/inputs/user_request.md'), 'utf8');
  assert.equal(request.match(/^#+ .*/gm), ['# Request', '## Non-goals', '## Fixed decisions', '## Acceptance']);
});

test('--json gives the id, the folder and the files', async ({ rig }) => {
  const { code, stdout, stderr } = await rig.run('tollgate', ['init', './tasks/api', '--json']);
  const folder = path.join(rig.project, 'tasks/api');
  assert.equal([code, stderr], [0, '']);
  assert.equal(JSON.parse(stdout), {
    schema: 1,
    task_id: 'api',
    folder,
    files: ['manifest.yaml', 'inputs/user_request.md', 'inputs/context_pack.md'].map((name) => path.join(folder, name)),
    gitignore: 'no_git',
    repository: { languages: [], tests: null },
  });
});

test('within the project of the package the schema is named relatively', async ({ rig }) => {
  const folder = path.resolve('.tmp/task', path.basename(rig.root));
  const { stdout } = await rig.run('tollgate', ['init', `${folder}/`, '--json']);
  try {
    const [manifest] = JSON.parse(stdout).files;
    assert.match(
      readFileSync(manifest, 'utf8'),
      /^# yaml-language-server: \$schema=(?:\.\.\/){3}docs\/schemas\/TASK_SCHEMA\.json\n/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const GOALS: [goal: string[], read: string][] = [
  [[], 'Say in a sentence or two what is to be achieved.'],
  [['--goal', 'Mend "it": #1, \\o/ & \u2028 {all}'], 'Mend "it": #1, \\o/ & \u2028 {all}'],
  [['--goal=- one\n- two'], '- one\n- two'],
];
for (const [flags, goal] of GOALS)
  test(`the manifest is valid, with the goal ${JSON.stringify(goal)}`, async ({ rig }) => {
    await rig.run('tollgate', ['init', 'fix', ...flags]);
    const read = await readManifest(
      path.join(rig.project, '.tmp/task/fix/manifest.yaml'),
      NO_PROJECT_FILE,
      'untrusted',
    );
    assert.is(read.how, 'read', JSON.stringify(read));
    if (read.how === 'read')
      assert.equal([read.manifest.goal, read.stages.map(({ name }) => name)], [goal, ['gemini_brief']]);
  });

for (const id of ['1', '1e3', 'true', 'null', '.inf', '0x1F', '-'])
  test(`the id ${id} stays a text`, async ({ rig }) => {
    await rig.run('tollgate', ['init', `./tasks/${id}`]);
    const read = await readManifest(path.join(rig.project, 'tasks', id, 'manifest.yaml'), NO_PROJECT_FILE, 'untrusted');
    assert.is(read.how === 'read' && read.manifest.task_id, id);
  });

test('it is valid with every field in use, and has every field', async ({ rig }) => {
  await rig.run('tollgate', ['init', 'fix']);
  const file = path.join(rig.project, '.tmp/task/fix/manifest.yaml');
  const text = readFileSync(file, 'utf8');
  for (const [field, { about, example }] of Object.entries(MANIFEST_FIELDS))
    if (example !== null) assert.ok(text.includes(`# ${about}.`), field);
  // A pipeline stands in place of stages, and so does a supervision.
  const inUse = text.replace(TAKEN_OUT, '').replace(/^(?:pipeline|supervise):.*\n/gm, '');
  assert.equal(inUse.match(/^ *#[^ ].*/gm), null);
  writeFileSync(file, inUse);
  const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
  assert.is(read.how, 'read', JSON.stringify(read));
  const fields = Object.keys(MANIFEST_FIELDS).filter((field) => MANIFEST_FIELDS[field]!.example !== null);
  assert.equal(
    fields.filter((field) => !['pipeline', 'supervise'].includes(field) && !holds(read, field)),
    [],
  );
});

test('with --supervise it has a worker and a reasoner in place of stages', async ({ rig }) => {
  const { stdout } = await rig.run('tollgate', ['init', 'fix', '--supervise', '--goal', 'Mend it.']);
  assert.match(stdout, 'tollgate supervise fix');
  const read = await readManifest(path.join(rig.project, '.tmp/task/fix/manifest.yaml'), NO_PROJECT_FILE, 'untrusted');
  assert.equal(read.how === 'read' && read.stages.map(({ name }) => name), ['worker', 'reasoner']);
});

function holds(read: Awaited<ReturnType<typeof readManifest>>, field: string): boolean {
  if (read.how === 'invalid') return false;
  let at: unknown = read.manifest;
  for (const step of field.split('.')) {
    at = (at as Record<string, unknown> | undefined)?.[step.replace('[]', '')];
    if (step.endsWith('[]')) at = (at as unknown[])[0];
  }
  return at !== undefined;
}

for (const name of Object.keys(PIPELINES))
  test(`--pipeline ${name} stands in place of stages`, async ({ rig }) => {
    await rig.run('tollgate', ['init', 'fix', '--pipeline', name]);
    const file = path.join(rig.project, '.tmp/task/fix/manifest.yaml');
    const text = readFileSync(file, 'utf8');
    assert.equal(text.match(/^(?:pipeline|#?stages):.*/gm), [`pipeline: ${name}`, '#stages:']);
    const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
    assert.is(read.how, 'read', JSON.stringify(read));
  });

for (const [pipeline, reviews] of [
  ['review_only', ['gemini_review']],
  ['review_cross', ['gemini_review', 'copilot_review', 'codex_review']],
  ['post_impl_review', ['copilot_static_verify', 'gemini_review']],
] as const)
  test(`--pipeline ${pipeline} in a repository: its reviews are shown what has changed since the default branch`, async ({
    rig,
  }) => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.project, stdio: 'ignore' });
    git('init', '-q', '-b', 'master');
    git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-qm', 'one', '--allow-empty');
    await rig.run('tollgate', ['init', 'fix', '--pipeline', pipeline, '--goal', 'Look.']);
    const file = path.join(rig.project, '.tmp/task/fix/manifest.yaml');
    const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
    if (read.how === 'invalid') return assert.unreachable(read.message);
    const { stages } = read;
    assert.equal(
      stages.flatMap(({ name, diff }) => (diff === undefined ? [] : [[name, diff]])),
      reviews.map((name) => [name, { base: 'master' }]),
    );
    assert.is(stages.length, PIPELINES[pipeline].length);
    rig.write('new.ts', 'new\n');
    const { code, stdout } = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--show-prompt']);
    assert.is(code, 0);
    assert.match(stdout, 'changes since master (');
  });

test("a pipeline of the project's own", async ({ rig }) => {
  rig.write('tollgate.yaml', 'pipelines: {quick: [{tool: codex, role: impl}]}\n');
  assert.is((await rig.run('tollgate', ['init', 'fix', '--pipeline', 'quick'])).code, 0);
  const { code, stderr } = await rig.run('tollgate', ['init', 'other', '--pipeline', 'quik']);
  assert.equal([code, stderr], [2, 'tollgate init: there is no pipeline "quik"; did you mean quick?\n']);
});

const MISTAKES: [what: string, argv: string[], said: RegExp][] = [
  ['no word', [], /^tollgate init: the task \(an id, or a path with a \/\) is missing\n/],
  ['no task id', ['a b'], /^tollgate init: "a b" is not a task id/],
  [
    'an unknown pipeline',
    ['fix', '--pipeline', 'quick'],
    /^tollgate init: there is no pipeline "quick"; the pipelines are safe_impl, .*, post_impl_review\n$/,
  ],
  ['a folder under a file', ['./file/fix'], /^tollgate init: .*file\/fix cannot be written \(.*\); make it writable/],
];
for (const [what, argv, said] of MISTAKES)
  test(`${what}: exit 2, nothing written`, async ({ rig }) => {
    rig.write('file', '');
    const { code, stdout, stderr } = await rig.run('tollgate', ['init', ...argv]);
    assert.equal([code, stdout, existsSync(path.join(rig.project, '.tmp'))], [2, '', false]);
    assert.match(stderr, said);
  });

for (const name of ['manifest.yaml', 'manifest.yml', 'manifest.json'])
  test(`a ${name} that is there is not overwritten`, async ({ rig }) => {
    const file = rig.write(`.tmp/task/fix/${name}`, 'mine');
    const { code, stderr } = await rig.run('tollgate', ['init', 'fix']);
    assert.equal(
      [code, stderr, readFileSync(file, 'utf8'), existsSync(path.join(path.dirname(file), 'inputs'))],
      [
        2,
        `tollgate init: ${file} is there already; edit it, or name another task. Nothing was written\n`,
        'mine',
        false,
      ],
    );
  });

test('inputs that are there stay as they are', async ({ rig }) => {
  const file = rig.write('.tmp/task/fix/inputs/user_request.md', 'mine');
  const { code, stdout } = await rig.run('tollgate', ['init', 'fix', '--json']);
  assert.equal([code, readFileSync(file, 'utf8'), JSON.parse(stdout).files.includes(file)], [0, 'mine', false]);
});

for (const flags of [[], ['--dry-run']])
  test(`an untouched task is not paid for: ${['run', ...flags].join(' ')}`, async ({ rig }) => {
    await rig.run('tollgate', ['init', 'un', '--pipeline', 'review_only']);
    const { code, stderr } = await rig.run('tollgate', ['run', 'un', ...flags]);
    const folder = path.join(rig.project, '.tmp/task/un');
    assert.equal(
      [code, stderr],
      [
        2,
        `tollgate run: there is no request yet: the goal in ${folder}/manifest.yaml is not filled in, and ${folder}/inputs/user_request.md has no text; write the request into one of them\n`,
      ],
    );
    const journal = path.join(folder, 'state/journal.jsonl');
    assert.not.match(existsSync(journal) ? readFileSync(journal, 'utf8') : '', '"reserved"');
  });

test('a goal is enough to run it', async ({ rig }) => {
  await rig.run('tollgate', ['init', 'un', '--pipeline', 'review_only', '--goal', 'Mend the login.']);
  const { code, stdout } = await rig.run('tollgate', ['run', 'un', '--dry-run', '--json']);
  const kinds = JSON.parse(stdout).stages[0].parts.map(({ kind }: { kind: string }) => kind);
  assert.is(code, 0);
  assert.ok(kinds.includes('goal') && !kinds.includes('request') && !kinds.includes('context'), kinds.join());
});

test.run();
