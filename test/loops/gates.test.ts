// Gates through the whole loop: what is missing or out of bounds is named, nothing is paid again, and nothing is lost.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GateRecord } from '../../policies/facts/gate-record.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type Ran, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('gates');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const IMPL = { tool: 'codex', role: 'impl', ...ANY_ANSWER };
const save = (file: string, text = 'new\n'): FakeCommand => ({ do: 'save', file, text });
const gateOf = (task: TestTask, stage: string) => JSON.parse(task.read(`outputs/${stage}.gate.json`)) as GateRecord;

test('a missing section is named everywhere, and a rerun pays nothing until something is different', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', '## Findings\n\n- none\n- at\n- all\n- here\n'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  const { code, report, summary } = await task.run();
  assert.equal(
    [code, rig.calls.length, report.failure?.class, report.failure?.reason, report.failure?.missing],
    [1, 1, 'contract_violation', 'missing_sections', ['Verdict']],
  );
  assert.match(summary, '- Missing:\n  - Verdict\n');
  assert.match(summary, '--redo codex_review');
  assert.equal(
    [gateOf(task, 'codex_review').passed, existsSync(path.join(task.folder, 'done/codex_review.done'))],
    [false, false],
  );
  const again = await task.run();
  assert.equal([again.code, rig.calls.length, again.report.failure?.signature], [1, 1, report.failure?.signature]);
  rig.answer(() => answerWith('codex', '## Findings\n\n- none\n- at\n- all\n\n## Verdict\n\nfine\n'));
  assert.equal([(await task.run('--redo=codex_review')).code, rig.calls.length], [0, 2]);
});

test('a change out of scope names the path and the glob, and stays unless --restore is said', async ({ rig }) => {
  rig.write('src/secret.ts', 'old\n');
  rig.answer(() => [save('src/secret.ts'), save('src/fine.ts'), ...answerWith('codex', 'done')]);
  const scope = { allow: ['src/**'], deny: ['src/secret*'] };
  const task = makeTask(rig, { stages: [IMPL], scope });
  const { code, report, summary } = await task.run();
  assert.equal([code, report.failure?.class, report.failure?.reason], [1, 'scope_violation', 'out_of_scope']);
  assert.match(report.failure!.missing.join('\n'), 'src/secret.ts (modified; scope.deny "src/secret*")');
  assert.match(summary, 'src/secret.ts (modified; scope.deny "src/secret*")');
  assert.is(readFileSync(path.join(rig.project, 'src/secret.ts'), 'utf8'), 'new\n');
  // A person takes it back, and the answer that was paid for counts.
  writeFileSync(path.join(rig.project, 'src/secret.ts'), 'old\n');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('a glob that spells out the tree as an absolute path counts in it, and one of another place is refused', async ({
  rig,
}) => {
  rig.answer(() => [save('docs/a.md'), ...answerWith('codex', 'done')]);
  const scoped = (id: string, more: object) => makeTask(rig, { stages: [IMPL], ...more }, id).run();
  const denied = await scoped('denied', { scope: { deny: [`${rig.project}/docs/**`] } });
  assert.match(denied.report.failure!.missing.join('\n'), 'docs/a.md (added; scope.deny "docs/**")');
  const refused = await scoped('refused', { security: { forbidden_paths: ['/etc/**'] } });
  assert.equal([refused.code, rig.calls.length], [2, 1]);
  assert.match(refused.said, 'security.forbidden_paths: "/etc/**" looks like a path outside of the tree');
});

test('a task of another project stands in the line of the tree, whose own state is no change', async ({ rig }) => {
  const other = path.join(rig.root, 'other');
  const manifest = { goal: 'g', stages: [IMPL], scope: { allow: ['src/**'] } };
  mkdirSync(path.join(other, '.tmp/task/b'), { recursive: true });
  writeFileSync(path.join(other, '.tmp/task/b/manifest.json'), JSON.stringify({ task_id: 'b', ...manifest }));
  const a = makeTask(rig, { ...manifest, cwd: '../other' }, 'a').start('--trust-workspace');
  const fake = await rig.call();
  const b = rig.start('tollgate', ['run', 'b'], { cwd: other });
  await b.says(/waits for task a \(pid \d+\), which writes in .+\/other/);
  rig.answer(() => [save('src/b.ts'), ...answerWith('codex', 'done')]);
  await fake.tell(save('src/a.ts'), ...answerWith('codex', 'done'));
  assert.equal([(await a.result).code, (await b.result).code], [0, 0]);
});

test('--restore puts back what was out of scope, keeps what stood there, and leaves the rest', async ({ rig }) => {
  rig.write('src/secret.ts', 'old\n');
  rig.answer(() => [save('src/secret.ts'), save('src/fine.ts'), save('notes.md'), ...answerWith('codex', 'done')]);
  const task = makeTask(rig, { stages: [IMPL], scope: { allow: ['src/**'], deny: ['src/secret*'] } });
  const { code } = await task.run('--restore');
  assert.is(code, 1);
  assert.equal(
    [
      readFileSync(path.join(rig.project, 'src/secret.ts'), 'utf8'),
      existsSync(path.join(rig.project, 'notes.md')),
      existsSync(path.join(rig.project, 'src/fine.ts')),
    ],
    ['old\n', false, true],
  );
  const { restored } = gateOf(task, 'codex_impl');
  assert.equal(restored.map((each) => each.path).sort(), ['notes.md', 'src/secret.ts']);
  for (const { kept_in } of restored) assert.is(readFileSync(kept_in!, 'utf8'), 'new\n');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('what a later --restore could not put back is not called reverted', async ({ rig }) => {
  rig.write('src/theirs', 'old\n');
  rig.answer(() => [save('src/theirs'), save('src/fine.ts'), save('notes.md'), ...answerWith('codex', 'done')]);
  const task = makeTask(rig, { stages: [IMPL], scope: { allow: ['src/fine.ts'] } });
  const offers = ({ report }: Ran) => report.next_actions.some(({ command }) => command?.includes('--restore'));
  assert.not(offers(await task.run()), 'no copy of a file that was there');
  const ran = await task.run('--restore');
  const { report } = ran;
  const { restored } = gateOf(task, 'codex_impl');
  assert.equal(
    restored.map((each) => each.path),
    ['notes.md'],
  );
  assert.match(report.next_actions[1]!.text, /^when these changes are reverted/);
  assert.not(offers(ran));
});

test('what is denied or forbidden is judged and put back though git ignores it', async ({ rig }) => {
  const git = (...argv: string[]) => execFileSync('git', ['-C', rig.project, ...argv], { stdio: 'pipe' });
  for (const [name, text] of Object.entries({
    '.gitignore': '.env\nbuild/\n*.log\n.tmp/\n',
    '.env': 'KEY=old\n',
    'build/secret': 'old\n',
    'build/out': 'old\n',
  }))
    rig.write(name, text);
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'all');
  const touched = ['.env', 'build/secret', 'build/out', 'a.log', 'src/fine.ts'];
  rig.answer(() => [...touched.map((file) => save(file)), ...answerWith('codex', 'done')]);
  const more = { scope: { allow: ['src/**'], deny: ['build/secret'] }, security: { forbidden_paths: ['.env'] } };
  const { report } = await makeTask(rig, { stages: [IMPL], ...more }).run('--restore');
  assert.equal(report.failure?.missing, [
    '.env (modified; security.forbidden_paths ".env")',
    'build/secret (modified; scope.deny "build/secret")',
  ]);
  assert.equal(
    touched.map((file) => readFileSync(path.join(rig.project, file), 'utf8')),
    ['KEY=old\n', 'old\n', 'new\n', 'new\n', 'new\n'],
  );
});

test('no secret in the name of a file is told', async ({ rig }) => {
  const secret = `sk-proj-${'Ab3dE6gH9k'.repeat(5)}`;
  rig.answer(() => [save(`out-${secret}`), save('docs/fine.md'), ...answerWith('codex', 'done')]);
  const task = makeTask(rig, { stages: [IMPL], scope: { allow: ['docs/**'] } });
  const { report, summary } = await task.run('--restore');
  assert.is(report.failure?.reason, 'out_of_scope');
  assert.match(summary, '- Changed so far: ');
  const written = [...['codex_impl.gate.json', '_summary.md'].map((file) => task.read(`outputs/${file}`))];
  const told = [...written, JSON.stringify(report), task.read('state/journal.jsonl'), JSON.stringify(task.failure())];
  for (const text of told) assert.not.match(text, secret);
  // Nor where a call failed besides, and there is no gate.
  rig.answer(() => [save(`half-${secret}`), ...failWith('codex', 'unexpected status 401 Unauthorized: no', 401)]);
  const failed = makeTask(rig, { stages: [IMPL] }, 'failed');
  const second = await failed.run();
  assert.match(second.summary, /Changed so far: half-\[REDACTED/);
  for (const text of [second.summary, JSON.stringify(second.report), JSON.stringify(failed.failure())])
    assert.not.match(text, secret);
});

test('a pattern that takes for ever ends neither the run nor its answer', async ({ rig }) => {
  rig.answer(() => answerWith('codex', JSON.stringify(`${'a'.repeat(50)}!`)));
  const schema = { type: 'string', pattern: '^(a+)+$' };
  const stage = { tool: 'codex', role: 'review', ...ANY_ANSWER };
  const task = makeTask(rig, { stages: [{ ...stage, schema }] });
  const { code, report } = await task.run();
  assert.equal([code, report.failure?.reason], [1, 'schema_unchecked']);
  rig.write('.tmp/task/fix/manifest.json', task.read('manifest.json').replace('(a+)+', 'a+!'));
  assert.equal([(await task.run('--keep=codex_review')).code, rig.calls.length], [0, 1]);
});

test('an agent that rewrites files that decide about its stage is found out, and each is put back', async ({ rig }) => {
  const files = {
    '.tmp/task/fix/manifest.json': '{}',
    'tollgate.yaml': 'pipelines: {}\n',
    '.tmp/task/fix/state/journal.jsonl': '',
    '.tmp/task/fix/done/codex_impl.done': '{}',
    '.tmp/task/fix/inputs/user_request.md': 'do less\n',
  };
  const rewritten = Object.entries(files).map(([file, text]) => save(file, text));
  rig.answer(() => [...rewritten, save('src/a.ts'), ...answerWith('codex', 'done')]);
  const task = makeTask(rig, { stages: [IMPL] });
  rig.write('.tmp/task/fix/inputs/user_request.md', 'do it all\n');
  const texts = () =>
    Object.keys(files)
      .filter((file) => !file.endsWith('journal.jsonl'))
      .map((file) => path.join(rig.project, file))
      .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : null));
  const before = texts();
  const { code, report } = await task.run();
  assert.equal(
    [code, report.failure?.class, report.failure?.reason, report.budget.used],
    [1, 'scope_violation', 'judge_changed', 1],
  );
  const missing = report.failure!.missing.join('\n');
  for (const file of Object.keys(files)) assert.match(missing, path.basename(file));
  assert.equal(texts(), before);
});

test('acceptance commands are run after a verify stage; a person mends the code, and nothing is paid again', async ({
  rig,
}) => {
  rig.answer(() => answerWith('gemini', 'looks fine'));
  const task = makeTask(rig, {
    stages: [{ tool: 'gemini', role: 'verify', ...ANY_ANSWER }],
    acceptance: { commands: ['echo looking; test -f fixed.txt'] },
  });
  const { code, report, summary } = await task.run();
  assert.equal([code, report.failure?.class, report.failure?.reason], [1, 'contract_violation', 'acceptance_failed']);
  assert.match(summary, 'echo looking; test -f fixed.txt (exit 1)');
  assert.match(task.read('outputs/gemini_verify.acceptance.log'), 'looking');
  rig.write('fixed.txt', '');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('a verify that says FAIL is not done; another stage that says so is, and the summary tells it', async ({
  rig,
}) => {
  const FAIL = '## Findings\n\n- all is lost\n- really\n\n## Verdict\n\nFAIL\n';
  rig.answer((call) => answerWith(call.report.tool, FAIL));
  const stages = [
    { tool: 'codex', role: 'review' },
    { tool: 'gemini', role: 'verify' },
  ];
  const { code, report, summary } = await makeTask(rig, { stages }).run();
  assert.equal(
    [code, report.stages.map(({ state }) => state), report.failure?.reason],
    [1, ['done', 'failed'], 'verdict_fail'],
  );
  assert.match(summary, 'Note: codex_review: its verdict is FAIL');
});

test('a schema that is none costs nothing', async ({ rig }) => {
  const task = makeTask(rig, {
    stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER, schema: { type: 'objekt' } }],
  });
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, 'stage codex_review: its schema is not a JSON Schema');
});

test('an impl that may not write answers with a diff that applies', async ({ rig }) => {
  rig.write('a.txt', 'one\ntwo\n');
  const diff = (from: string) =>
    `Here it is.\n\n\`\`\`diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-${from}\n+uno\n two\n\`\`\`\n`;
  const stages = [{ ...IMPL, access: 'read' }];
  rig.answer(() => answerWith('codex', diff('eins')));
  const wrong = makeTask(rig, { stages }, 'wrong');
  const { report } = await wrong.run();
  assert.equal([report.failure?.class, report.failure?.reason], ['contract_violation', 'diff_does_not_apply']);
  rig.answer(() => answerWith('codex', diff('one')));
  const right = makeTask(rig, { stages }, 'right');
  assert.is((await right.run()).code, 0);
  assert.match(right.read('outputs/codex_impl.patch'), '+uno');
  rig.answer(() => answerWith('codex', diff('one')));
  const denied = makeTask(rig, { stages, scope: { deny: ['a.txt'] } }, 'denied');
  assert.is((await denied.run()).report.failure?.class, 'scope_violation');
});

test('an attempt that changed the tree and failed is not begun anew', async ({ rig }) => {
  // It dies before it has said which session it is in.
  const { fails }: Stream = STREAMS.gemini;
  rig.answer(() => [save('src/half.ts'), write([...fails('busy', 503, SESSION)]), { do: 'exit', code: 247 }]);
  const task = makeTask(rig, { stages: [{ tool: 'gemini', role: 'impl', ...ANY_ANSWER }] });
  const { code, report, summary } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.changed], [1, 1, ['src/half.ts (added)']]);
  assert.match(report.failure!.decision.why, 'changed the tree, and there is no session to continue in');
  assert.match(summary, '- Changed so far: src/half.ts (added)');
});

test('what a failed attempt changed out of scope is found by the run that succeeds', async ({ rig }) => {
  // It dies before it has said which session it is in.
  const { fails }: Stream = STREAMS.gemini;
  rig.answer(() => [save('other/half.ts'), write([...fails('busy', 503, SESSION)]), { do: 'exit', code: 247 }]);
  const task = makeTask(rig, {
    stages: [{ tool: 'gemini', role: 'impl', ...ANY_ANSWER }],
    scope: { allow: ['src/**'] },
  });
  assert.is((await task.run()).code, 1);
  rig.write('other/by-hand.ts', 'a person wrote this between the runs');
  rig.answer(() => [save('src/whole.ts'), ...answerWith('gemini', 'done')]);
  const { report } = await task.run('--retry-dirty');
  assert.equal(
    [report.failure?.class, report.failure?.missing],
    ['scope_violation', ['other/half.ts (added; no glob of scope.allow matches)']],
  );
});

test('a task with a worktree of its own is judged by that one', async ({ rig }) => {
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...argv], { cwd: rig.project });
  rig.write('src/a.ts', 'old\n');
  git('init', '--quiet');
  git('add', 'src');
  git('commit', '--quiet', '-m', 'first');
  rig.answer(() => [save('src/a.ts'), save('docs/out.md'), ...answerWith('codex', 'done')]);
  const task = makeTask(rig, { stages: [IMPL], worktree: true, scope: { allow: ['src/**'] } });
  const { code, report, summary } = await task.run();
  const tree = path.join(rig.project, '.tmp/worktrees/fix');
  assert.equal([code, report.failure?.missing], [1, ['docs/out.md (added; no glob of scope.allow matches)']]);
  assert.equal([rig.calls[0]!.report.cwd, readFileSync(path.join(tree, 'src/a.ts'), 'utf8')], [tree, 'new\n']);
  assert.is(readFileSync(path.join(rig.project, 'src/a.ts'), 'utf8'), 'old\n');
  assert.match(summary, 'on branch tollgate/fix');
});

test('a failure of the call itself is no gate failure, and leaves no gate record', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  const { report } = await task.run();
  assert.equal([report.failure?.class, report.stages[0]!.gate], ['auth', null]);
  assert.not(existsSync(path.join(task.folder, 'outputs/codex_review.gate.json')));
});

test.run();
