// New tasks by the console: checked without a trace, created as tollgate init does, and run; each mistake is refused in words, and costs nothing.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DraftShown, NewTask } from '../../../../console/contract/task.ts';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import { SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; page: ConsoleClient }>('new tasks');
test.before.each(async (world) => {
  world.rig = await TestRig.open({ tools: ['codex', 'gemini'] });
  world.page = await openConsoleOf(world.rig);
});
test.after.each(async ({ rig, page }) => {
  page.command.signal('SIGINT');
  await page.command.result;
  await rig.dispose();
});

const WISH: NewTask = {
  ...{ id: 'fix-login', goal: 'Repair the login: "quoted" # not a comment', pipeline: 'one_shot_impl', stages: [] },
  ...{
    calls: 6,
    usd: 2.5,
    wallclock_sec: 3600,
    commands: ['npm test', 'npm run "lint"'],
    criteria: ['It is repaired.'],
  },
  ...{ allow: ['src/**'], deny: ['.ci/**'] },
};

const folderOf = (rig: TestRig, id: string) => path.join(rig.project, '.tmp/task', id);

/** What is in the project beside what was there before. */
const filesIn = (rig: TestRig) => (readdirSync(rig.project, { recursive: true }) as string[]).sort();

const STAGE = { tool: 'codex', role: 'brief', access: null };

test('what a task can be made of: the CLIs with the reason against each, roles, pipelines, the test command', async ({
  rig,
  page,
}) => {
  rig.write('package.json', '{"scripts": {"test": "uvu"}}');
  rig.write('tollgate.yaml', 'roles: {poet: {template: poet.md}}\ntools: {mycli: {binary: mycli}}\n');
  const { tools, roles, pipelines, tests } = (await page.get('/api/choices')).value;
  assert.equal(
    tools.map(({ tool, lacks }: { tool: string; lacks: string | null }) => [tool, lacks]),
    [
      ['gemini', null],
      ['copilot', 'is not installed'],
      ['codex', null],
      ['claude', 'is not installed'],
    ],
  );
  assert.is(tests, 'npm test');
  const names = roles.map(({ role }: { role: string }) => role);
  assert.ok(names.includes('verify') && !names.includes('worker') && !names.includes('poet'), names.join());
  assert.equal(
    roles.filter(({ accepts }: { accepts: boolean }) => accepts).map(({ role }: { role: string }) => role),
    ['verify'],
  );
  const [pipeline] = pipelines.filter(({ name }: { name: string }) => name === 'one_shot_impl');
  assert.equal(pipeline.stages, [
    { tool: 'codex', role: 'impl' },
    { tool: 'gemini', role: 'verify' },
  ]);
});

test('a check shows the calls, the budget and the commands, and writes nothing', async ({ rig, page }) => {
  const before = filesIn(rig);
  const { status, value } = await page.post('/api/draft', WISH);
  assert.is(status, 200, JSON.stringify(value));
  const { problems, forecast } = value as DraftShown;
  assert.equal(problems, []);
  assert.equal(
    forecast!.stages.map(({ stage, tool, calls, commands }) => [stage, tool, calls, commands]),
    [
      ['codex_impl', 'codex', true, []],
      ['gemini_verify', 'gemini', true, WISH.commands],
    ],
  );
  assert.ok(forecast!.stages.every(({ prompt_chars: chars }) => chars > 500));
  assert.equal(forecast!.budget, { used: 0, total: 6 });
  const scarce = (await page.post('/api/draft', { ...WISH, calls: 1 })).value as DraftShown;
  assert.match(scarce.forecast!.stages[1]!.warnings.join(), /no paid call remains for it/);
  assert.equal(filesIn(rig), before);
});

test('a mistake is shown with its line, and creates nothing', async ({ rig, page }) => {
  const before = filesIn(rig);
  const MISTAKES: [Partial<NewTask>, RegExp][] = [
    [{ calls: 1.5 }, /^budgets\.paid_call_budget must be int/],
    [{ usd: 0 }, /^budgets\.max_usd must be more than 0/],
    [{ pipeline: 'one_shot' }, /^there is no pipeline "one_shot"; did you mean one_shot_impl\?/],
    [{ pipeline: 'x: {a' }, /^there is no pipeline "x: \{a"/],
    [{ pipeline: null, stages: [{ ...STAGE, role: 'brieff' }] }, /there is no role "brieff"; did you mean "brief"\?/],
    [
      { pipeline: null, stages: [{ ...STAGE, tool: 'codexx' }] },
      /^stages\[0\]\.tool must be one of .*did you mean codex/,
    ],
    [{ pipeline: null, stages: [STAGE, STAGE] }, /two stages are called "codex_brief"/],
    [{ pipeline: null, stages: [{ ...STAGE, tool: 'a, role: b}' }] }, /^stages\[0\]\.tool /],
    [{ allow: ['../**'] }, /scope\.allow\[0\]/],
  ];
  for (const [change, message] of MISTAKES) {
    const wish = { ...WISH, ...change };
    const { problems, forecast } = (await page.post('/api/draft', wish)).value as DraftShown;
    assert.ok(
      problems.some((problem) => message.test(problem.message)),
      JSON.stringify([change, problems]),
    );
    assert.is(forecast, null);
    const refused = await page.post('/api/create', { ...wish, run: true });
    assert.is(refused.status, 409, JSON.stringify(change));
    assert.match(refused.value.message, /; nothing was written$/);
  }
  assert.is((await page.post('/api/draft', { ...WISH, usd: 0 })).value.problems[0].line > 100, true);
  assert.equal(filesIn(rig), before);
});

test('a CLI that is not installed is named by the check, and no task with it is created', async ({ rig, page }) => {
  const wish = { ...WISH, pipeline: 'review_cross' };
  const { problems, notes } = (await page.post('/api/draft', wish)).value as DraftShown;
  assert.equal([problems, notes[0]], [[], 'copilot is not installed']);
  const refused = await page.post('/api/create', { ...wish, run: false });
  assert.equal([refused.status, refused.value.message], [409, 'copilot is not installed; nothing was written']);
  assert.is(existsSync(folderOf(rig, WISH.id)), false);
});

test('a created task has the fields of the form and the files of init; a second one is refused', async ({
  rig,
  page,
}) => {
  rig.write('.git/HEAD', '');
  const created = await page.post('/api/create', { ...WISH, run: false });
  assert.equal([created.status, created.value.says], [200, 'fix-login was created.']);
  const manifest = readFileSync(path.join(folderOf(rig, WISH.id), 'manifest.yaml'), 'utf8');
  for (const line of [
    `goal: ${JSON.stringify(WISH.goal)}`,
    'pipeline: one_shot_impl',
    'paid_call_budget: 6',
    'max_usd: 2.5',
    'max_wallclock_sec: 3600',
    'commands: ["npm test","npm run \\"lint\\""]',
    'criteria: ["It is repaired."]',
    'allow: ["src/**"]',
    'deny: [".ci/**"]',
  ])
    assert.ok(
      manifest.split('\n').some((each) => each.trim() === line),
      line,
    );
  const inputs = readdirSync(path.join(folderOf(rig, WISH.id), 'inputs')).sort();
  assert.equal(inputs, ['attachments', 'context_pack.md', 'user_request.md']);
  const task = (await page.get('/api/tasks/fix-login')).value;
  assert.equal([task.state, task.goal], ['never_run', WISH.goal]);
  for (const address of ['/api/draft', '/api/create'] as const) {
    const again = await page.post(address, address === '/api/draft' ? WISH : { ...WISH, run: false });
    assert.is(again.status, 409);
    assert.match(again.value.message, /manifest\.yaml is there already; edit it, or name another task/);
  }
  const create = () => page.post('/api/create', { ...WISH, id: 'twice', run: false });
  const both = (await Promise.all([create(), create()])).sort((a, b) => a.status - b.status);
  assert.equal([both[0]!.status, both[1]!.status], [200, 409]);
  assert.match(both[1]!.value.message, /manifest\.yaml is there already; edit it, or name another task/);
});

test('a task of listed stages is created and run, with one request', async ({ rig, page }) => {
  const stages = [{ tool: 'codex', role: 'review', access: 'read' }];
  const wish = { ...WISH, pipeline: null, stages, commands: [], criteria: [], allow: [], deny: [] };
  const created = page.post('/api/create', { ...wish, run: true });
  const call = await rig.call();
  await call.tell(write(STREAMS.codex.opens(SESSION)));
  const { status, value } = await created;
  assert.equal([status, value.says], [200, 'fix-login was created, and is at work.']);
  const manifest = readFileSync(path.join(folderOf(rig, WISH.id), 'manifest.yaml'), 'utf8');
  assert.match(manifest, '\n  - {tool: codex, role: review, access: read}\n');
  assert.is((await page.post('/api/stop', { task: WISH.id })).status, 200);
});

test('what is no task is refused in words', async ({ rig, page }) => {
  const before = filesIn(rig);
  const WRONG: object[] = [
    {},
    { ...WISH, id: '../x' },
    { ...WISH, id: '--help' },
    { ...WISH, goal: ' ' },
    { ...WISH, goal: 'a\0b' },
    { ...WISH, pipeline: 'a\nb' },
    { ...WISH, stages: [{ tool: 'codex', role: 'brief' }] },
    { ...WISH, stages: [{ ...STAGE, more: 1 }] },
    { ...WISH, stages: [{ ...STAGE, access: 'root' }] },
    { ...WISH, stages: Array.from({ length: 101 }, () => STAGE) },
    { ...WISH, calls: '6' },
    { ...WISH, usd: -1 },
    { ...WISH, commands: 'npm test' },
    { ...WISH, commands: [1] },
    { ...WISH, commands: ['x'.repeat(5000)] },
    { ...WISH, security: { trust_workspace: true } },
  ];
  for (const wish of WRONG)
    for (const [address, sent] of [
      ['/api/draft', wish],
      ['/api/create', { ...wish, run: false }],
    ] as const) {
      const { status, value } = await page.post(address, sent);
      assert.is(status, 400, JSON.stringify(sent).slice(0, 300));
      assert.match(value.message, /; nothing was changed$/);
    }
  const none = await page.post('/api/draft', { ...WISH, pipeline: null });
  assert.match(none.value.message, /^the task has neither a pipeline nor a stage/);
  for (const id of ['.', '..']) assert.is((await page.post('/api/draft', { ...WISH, id })).status, 409);
  assert.equal(filesIn(rig), before);
});

test.run();
