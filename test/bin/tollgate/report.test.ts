// tollgate report over real runs: each state once, one failure of several tasks on one line, and what cannot be read named.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TasksReport } from '../../../loops/report/collect.ts';
import { waitForChange } from '../../../state/wait-for-change.ts';
import { schemaFiles } from '../../rig/schemas/schemas.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { unless } from '../../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('tollgate report');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'review' }] };
const ANSWER = '# Findings\n\nNone.\n\n# Verdict\n\nGood.\n';
const NO_KEY = failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401);
const PLAN = failWith('codex', 'Quota exceeded. Check your plan | billing <details>.', 429);
const VALID = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  schemaFiles().find(({ name }) => name === 'TASKS_SCHEMA.json')!.schema,
);

/** What differs from run to run, of one length. */
const settled = (text: string, rig: TestRig) =>
  text
    .replaceAll(rig.project, 'PROJECT')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/g, '2026-11-22T00:00Z')
    .replace(/stored in \S+/g, 'stored in …');

/** One task of each kind, in the order of time. */
async function everyKind(rig: TestRig): Promise<void> {
  makeTask(rig, ONE, 'new');
  for (const [id, answer] of [
    ['good', answerWith('codex', ANSWER)],
    ['alpha', NO_KEY],
    ['beta', NO_KEY],
    ['full', PLAN],
  ] as const) {
    rig.answer(() => answer);
    await makeTask(rig, ONE, id).run();
  }
  rig.write('.tmp/task/not a task/notes.md', '');
  rig.write('.tmp/task/later/state/journal.jsonl', '{"v":2,"at":"2026-11-22T00:00:00.000Z","fact":"stage"}\n');
}

test('as text: totals, a line for each failure, failed tasks first, what is not readable', async ({ rig }) => {
  await everyKind(rig);
  const { code, stdout, stderr } = await rig.run('tollgate', ['report']);
  assert.equal([code, stderr], [0, '']);
  assert.is(
    settled(stdout, rig),
    `5 tasks in PROJECT/.tmp/task: 3 failed, 1 done, 1 never run; 1 not readable

Failures:
  2 tasks  auth (bad_key)  v1:db3695717249  2026-11-22T00:00Z  unexpected status 401 Unauthorized: Incorrect API key provided  beta, alpha
  1 task   quota (plan)    v1:ffd3862b774c  2026-11-22T00:00Z  Quota exceeded. Check your plan | billing <details>.            full

TASK   STATE      STAGE         FAILURE         SIGNATURE        SINCE              CALLS  NEXT
full   failed     codex_review  quota (plan)    v1:ffd3862b774c  2026-11-22T00:00Z  1/10   when the limit of codex is reset (time unknown), call codex again: \`tollgate run full\`
beta   failed     codex_review  auth (bad_key)  v1:db3695717249  2026-11-22T00:00Z  1/10   run \`codex login\`, or export CODEX_API_KEY=…
alpha  failed     codex_review  auth (bad_key)  v1:db3695717249  2026-11-22T00:00Z  1/10   run \`codex login\`, or export CODEX_API_KEY=…
good   done       -             -               -                2026-11-22T00:00Z  1/10   -
new    never run  -             -               -                -                  -      run it: \`tollgate run new\`

Not readable: PROJECT/.tmp/task/later: PROJECT/.tmp/task/later/state/journal.jsonl was written by a newer version (format 2, this one reads 1): update tollgate; nothing was changed
`,
  );
  const md = await rig.run('tollgate', ['report', '--format', 'md', '--failed']);
  assert.is(
    settled(md.stdout, rig),
    `# Tasks

5 tasks in .tmp/task: 3 failed, 1 done, 1 never run; 1 not readable

| task | state | stage | failure | signature | since | calls | next |
| --- | --- | --- | --- | --- | --- | --- | --- |
| full | failed | codex_review | quota (plan) | v1:ffd3862b774c | 2026-11-22T00:00Z | 1/10 | when the limit of codex is reset (time unknown), call codex again: \`tollgate run full\` |
| beta | failed | codex_review | auth (bad_key) | v1:db3695717249 | 2026-11-22T00:00Z | 1/10 | run \`codex login\`, or export CODEX_API_KEY=… |
| alpha | failed | codex_review | auth (bad_key) | v1:db3695717249 | 2026-11-22T00:00Z | 1/10 | run \`codex login\`, or export CODEX_API_KEY=… |

## Failures

| tasks | failure | signature | since | evidence | which |
| --- | --- | --- | --- | --- | --- |
| 2 | auth (bad_key) | v1:db3695717249 | 2026-11-22T00:00Z | unexpected status 401 Unauthorized: Incorrect API key provided | beta, alpha |
| 1 | quota (plan) | v1:ffd3862b774c | 2026-11-22T00:00Z | Quota exceeded. Check your plan \\| billing \\<details>. | full |

## Not readable

- .tmp/task/later: .tmp/task/later/state/journal.jsonl was written by a newer version (format 2, this one reads 1): update tollgate; nothing was changed
`,
  );
  const json = await reportOf(rig, '--json');
  assert.equal(
    [json.totals, json.tasks.map(({ task_id }) => task_id), json.groups.map(({ task_ids }) => task_ids)],
    [
      { tasks: 5, done: 1, failed: 3, interrupted: 0, refused: 0, parked: 0, running: 0, never_run: 1, unreadable: 1 },
      ['full', 'beta', 'alpha', 'good', 'new'],
      [['beta', 'alpha'], ['full']],
    ],
  );
});

/** The report as JSON, which its schema allows. */
async function reportOf(rig: TestRig, ...argv: string[]): Promise<TasksReport> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['report', ...argv]);
  assert.equal([code, stderr], [0, '']);
  const report: unknown = JSON.parse(stdout);
  assert.ok(VALID(report), JSON.stringify(VALID.errors));
  return report as TasksReport;
}

const rowsOf = ({ tasks }: TasksReport) => tasks.map(({ task_id, state, reason }) => [task_id, state, reason]);

test('a task that runs, one whose run died, one that was stopped, and one that failed and then succeeded', async ({
  rig,
}) => {
  const running = makeTask(rig, ONE, 'running').start();
  const fake = await rig.call();
  assert.equal(rowsOf(await reportOf(rig, '--json')), [['running', 'running', null]]);
  await fake.tell(...answerWith('codex', ANSWER));
  await running.result;

  const died = makeTask(rig, ONE, 'died');
  const dying = died.start();
  const second = await rig.call();
  dying.signal('SIGKILL');
  await dying.result;
  // Its call has a guardian that lives on.
  assert.equal(rowsOf(await reportOf(rig, '--json'))[0], ['died', 'running', null]);
  await second.tell(...NO_KEY);
  const judged = () => [...died.journal.read().ledger.calls.values()].every(({ verdict }) => verdict !== null);
  while (!judged()) await waitForChange(died.journal.file, 100, new AbortController().signal);
  assert.equal(rowsOf(await reportOf(rig, '--json'))[0], ['died', 'interrupted', null]);

  const stopped = makeTask(rig, ONE, 'stopped').start();
  await rig.call();
  stopped.signal('SIGINT');
  await stopped.result;
  const { tasks } = await reportOf(rig, '--json');
  assert.equal(
    [tasks[0]!.state, tasks[0]!.class, tasks[0]!.reason, tasks[0]!.next_action?.command],
    ['interrupted', 'transient', 'cancelled', 'tollgate run stopped'],
  );

  const mended = makeTask(rig, ONE, 'mended');
  rig.answer(() => NO_KEY);
  await mended.run();
  rig.answer(() => answerWith('codex', ANSWER));
  await mended.run();
  assert.equal(rowsOf(await reportOf(rig, '--json'))[0], ['mended', 'done', null]);
});

test('--since leaves out what is older, and what was never run', async ({ rig }) => {
  await everyKind(rig);
  const file = path.join(rig.project, '.tmp/task/alpha/state/journal.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"at":"\d{4}/g, '"at":"2020'));
  const { tasks, totals } = await reportOf(rig, '--json', '--since', '1d');
  assert.equal([tasks.map(({ task_id }) => task_id), totals.tasks], [['full', 'beta', 'good'], 3]);
});

test('an unreadable last_failure.json is named and left as it is', async ({ rig }) => {
  rig.answer(() => NO_KEY);
  const task = makeTask(rig, ONE);
  await task.run();
  const file = rig.write('.tmp/task/fix/state/last_failure.json', '{"class":');
  const { tasks, unreadable } = await reportOf(rig, '--format=json');
  assert.equal([tasks[0]!.state, tasks[0]!.class, unreadable.length], ['failed', null, 1]);
  assert.match(unreadable[0]!.message, /^state\/last_failure\.json: /);
  assert.is(readFileSync(file, 'utf8'), '{"class":');
});

const PLACES: [what: string, word: string[], shown: string[]][] = [
  ['no word: the project', [], ['fix']],
  ['a folder of tasks', ['.tmp/task'], ['fix']],
  ['a task', ['.tmp/task/fix'], ['fix']],
  ['a project', ['.'], ['fix']],
  ['its state', ['.tmp'], ['fix']],
  ['another folder of tasks, with a link to one', ['links'], ['linked']],
];
for (const [what, word, shown] of PLACES)
  test(`${what} is a place to look in`, async ({ rig }) => {
    makeTask(rig, ONE);
    rig.write('links/elsewhere/notes.md', '');
    rig.write('linked/manifest.json', '{}');
    symlinkSync('../linked', path.join(rig.project, 'links/linked'));
    symlinkSync('nowhere', path.join(rig.project, 'links/broken'));
    const { tasks } = await reportOf(rig, '--json', ...word);
    assert.equal(
      tasks.map(({ task_id }) => task_id),
      shown,
    );
  });

test('a project without tasks has an empty report', async ({ rig }) => {
  const { code, stdout } = await rig.run('tollgate', ['report']);
  assert.equal([code, settled(stdout, rig)], [0, '0 tasks in PROJECT/.tmp/task\n']);
});

for (const [what, make] of [
  ['.tmp is a file', (project: string) => writeFileSync(path.join(project, '.tmp'), '')],
  ['.tmp is a link that leads nowhere', (project: string) => symlinkSync('nowhere', path.join(project, '.tmp'))],
  [
    '.tmp/task is a file',
    (project: string) => {
      mkdirSync(path.join(project, '.tmp'));
      writeFileSync(path.join(project, '.tmp/task'), '');
    },
  ],
] as const)
  test(`where ${what}, no report and no status says that there are no tasks`, async ({ rig }) => {
    mkdirSync(path.join(rig.project, '.git'));
    rmSync(path.join(rig.project, '.tmp'), { recursive: true, force: true });
    make(rig.project);
    for (const words of [['report'], ['report', '--format=junit'], ['report', '--format=github'], ['status']]) {
      const { code, stderr } = await rig.run('tollgate', words);
      assert.is(code, 2, words.join(' '));
      assert.match(stderr, 'cannot be read');
    }
  });

// Root may look into every folder.
const AS_OTHER = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const REACHES = ['sh', '-c', 'test -x "$1" && test -r dist/tollgate.cjs', 'sh', tmpdir()];
const canBeOther = spawnSync('setpriv', [...AS_OTHER, ...REACHES]).status === 0;
const asOther = unless(canBeOther ? null : 'nothing can be run here as another user who reaches these files', test);
asOther('a task that may not be looked into is named, and no run takes it for none', async ({ rig }) => {
  makeTask(rig, ONE);
  chmodSync(path.join(rig.project, '.tmp/task/fix'), 0);
  // The folders above belong to the test.
  for (const folder of [rig.root, rig.project]) chmodSync(folder, 0o755);
  const as = (...words: string[]) =>
    spawnSync('setpriv', [...AS_OTHER, process.execPath, 'dist/tollgate.cjs', ...words], {
      env: { ...rig.env, HOME: '/nonexistent' },
      encoding: 'utf8',
    });
  const told = as('report', '--format=json', rig.project);
  assert.match(JSON.parse(told.stdout).unreadable[0].folder, 'fix', told.stderr);
  const run = as('run', `${rig.project}/.tmp/task/fix/`);
  assert.match(run.stderr, 'may not be looked into; make it readable for this user');
});

const MISTAKES: [argv: string[], said: RegExp][] = [
  [['none'], /^tollgate report: there is no task at .*\.tmp\/task\/none \(/],
  [['./none'], /^tollgate report: .*\/none is not a folder; name the one that holds the tasks, such as \.tmp\/task\n$/],
  [['--since', 'soon'], /^tollgate report: --since takes a duration such as 24h or 7d, not "soon"\n$/],
  [
    ['--format', 'pdf'],
    /^tollgate report: --format takes one of text, json, md, html, junit, sarif, github, gitlab, not "pdf"\n/,
  ],
  [['--json', '--format', 'md'], /^tollgate report: --json and --format md are two formats; leave one of them out\n$/],
];
for (const [argv, said] of MISTAKES)
  test(`${argv.join(' ')}: exit 2`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run('tollgate', ['report', ...argv]);
    assert.equal([code, stdout === ''], [2, !argv.includes('--json')]);
    assert.match(stderr, said);
  });

test.run();
