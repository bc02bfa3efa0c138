// tollgate run in CI: groups, annotations, summary and outputs of the step, and a deadline.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publishInCi } from '../../../../bin/tollgate/ci/publish.ts';
import { LOG_MARKS, silenceLine, startSilence } from '../../../../bin/tollgate/reporting.ts';
import { deadlineOf } from '../../../../bin/tollgate/run-flags.ts';
import { stopWords, untilStopped } from '../../../../policies/facts/exit-codes.ts';
import { answerWith, failWith } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run in CI');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = '## Findings\n\n- `major`; `src/a.ts:3`; ::stop <img>\n\n## Verdict\n\nFAIL\n';

/** A runner of GitHub Actions, with its files. */
function runner(rig: TestRig): Record<string, string> {
  const [output, summary] = ['output', 'summary'].map((name) => path.join(rig.root, name)) as [string, string];
  for (const file of [output, summary]) writeFileSync(file, 'earlier=1\n');
  return { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
}

/** As the runner reads its file. */
function outputsIn(text: string): Record<string, string> {
  const found = [...text.matchAll(/^(\w+)<<(tollgate_[0-9a-f-]{36})\n([\s\S]*?)\n\2\n/gm)];
  return Object.fromEntries(found.map(([, name, , value]) => [name!, value!]));
}

test('GitHub: by itself; a group, annotations, summary and outputs', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  rig.answer(() => answerWith('codex', REVIEW));
  const env = runner(rig);
  const { code, stdout, stderr } = await rig.run('tollgate', ['run', 'fix'], { env });
  assert.is(code, 0);
  assert.match(stderr, /^::group::tollgate run fix\n(tollgate: .*\n)+::endgroup::\n/);
  assert.match(stderr, '\n::error file=src/a.ts,line=3,title=fix codex_review%3A review/major::');
  assert.match(stdout, /^# Task fix: done\n/);
  const summary = readFileSync(env.GITHUB_STEP_SUMMARY!, 'utf8');
  assert.match(summary, /^earlier=1\n# Task fix: done\n/);
  const written = readFileSync(env.GITHUB_OUTPUT!, 'utf8');
  assert.match(written, /^earlier=1\n/);
  const { state, exit_code, verdict, answer, session, answer_file } = outputsIn(written);
  assert.equal([state, exit_code, verdict, answer], ['done', '0', 'FAIL', REVIEW]);
  assert.ok(session !== '' && answer_file!.endsWith('codex_review.codex.out'));
  assert.match(outputsIn(written).comment!, '<!-- tollgate: fix -->\n\n**fix**: done\n\n## Findings\n');
});

test('--comment: the same in a file, anywhere; where it cannot be written the run ends as it would', async ({
  rig,
}) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  rig.answer(() => answerWith('codex', REVIEW));
  const comment = path.join(rig.project, 'comment.md');
  assert.is((await rig.run('tollgate', ['run', 'fix', '--comment', 'comment.md'])).code, 0);
  const said = '- `major`; `src/a.ts:3`; ::stop <\u200bimg>';
  assert.match(readFileSync(comment, 'utf8'), `<!-- tollgate: fix -->\n\n**fix**: done\n\n## Findings\n\n${said}\n`);
  const lost = await rig.run('tollgate', ['run', 'fix', '--comment', 'none/comment.md']);
  assert.is(lost.code, 0);
  assert.match(lost.stderr, /tollgate run: --comment: .*none/);
});

test('what is posted has no secret and no path of the runner; the answer stays as it is', async ({ rig }) => {
  const key = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
  const answer = `${REVIEW}\nSee ${rig.project}/src/a.ts with ${key} in ${rig.project}.\n`;
  makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  rig.answer(() => answerWith('codex', answer));
  const env = runner(rig);
  const { stderr } = await rig.run('tollgate', ['run', 'fix', '--comment', 'comment.md'], { env });
  const outputs = outputsIn(readFileSync(env.GITHUB_OUTPUT!, 'utf8'));
  const file = readFileSync(path.join(rig.project, 'comment.md'), 'utf8');
  for (const posted of [outputs.comment!, file]) {
    assert.match(posted, 'See src/a.ts with [');
    assert.not.match(posted, key);
    assert.not.match(posted, rig.project);
  }
  assert.not.match(stderr, key);
  assert.match(outputs.answer!, rig.project);
  assert.is(outputs.tokens, '18');
});

test('a run that fails tells class and reason, and with --json stdout is the object alone', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  rig.answer(() => failWith('codex', 'Incorrect API key provided', 401));
  const env = runner(rig);
  const { code, stdout, stderr } = await rig.run('tollgate', ['run', 'fix', '--json'], { env });
  assert.equal([code, JSON.parse(stdout).state], [1, 'failed']);
  assert.match(stderr, /\n::error title=fix codex_review%3A failure\/auth::auth \(bad_key\): /);
  const outputs = outputsIn(readFileSync(env.GITHUB_OUTPUT!, 'utf8'));
  assert.equal([outputs.state, outputs.class, outputs.reason, outputs.answer], ['failed', 'auth', 'bad_key', '']);
  // Neither is known.
  assert.equal([outputs.tokens, outputs.cost], ['', '']);
});

test('each field of an answer that is JSON is an output', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(() => answerWith('codex', '{"title":"two\\nlines","count":2}'));
  const env = runner(rig);
  assert.is((await rig.run('tollgate', ['run', 'fix'], { env })).code, 0);
  const { answer_title, answer_count, fields } = outputsIn(readFileSync(env.GITHUB_OUTPUT!, 'utf8'));
  assert.equal([answer_title, answer_count], ['two\nlines', '2']);
  assert.is(fields, '{"title":"two\\nlines","count":2}');
});

test('a link in the place of a file of the step is not followed, and the run ends as it would', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(() => answerWith('codex', 'ok'));
  const env = { ...runner(rig), GITHUB_OUTPUT: path.join(rig.root, 'link') };
  const target = path.join(rig.root, 'target');
  writeFileSync(target, '');
  symlinkSync(target, env.GITHUB_OUTPUT);
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix'], { env });
  assert.equal([code, readFileSync(target, 'utf8')], [0, '']);
  assert.match(stderr, /\ntollgate run: what the step leaves could not be written to the file of GITHUB_OUTPUT: /);
});

test('a command of the log in what others wrote is not heard', () => {
  const { neutralise } = LOG_MARKS.github;
  assert.is(
    neutralise('::error::x\n \u200b::stop\r::y\nstd::z: ##[error]z'),
    ': :error::x\n \u200b: :stop\r: :y\nstd::z: ## [error]z',
  );
});

test('with --json it is not either, and the object says the same', () => {
  const read = (word: string) => ({ given: new Set(['json']), words: [word] }) as never;
  const out = '{"message":"##[error]"}\n';
  const told = publishInCi('github', { how: 'invalid', message: 'm' }, { exit: 2, out, err: '::x\n' }, read('fix'));
  assert.not.match(told.out!, '##[');
  assert.equal(JSON.parse(told.out!), { message: '##[error]' });
  assert.match(told.err!, /^: :x\n::error title=fix%3A run\/invalid::m\n/);
});

test('GitLab: a section that is folded; --no-ci: nothing of it', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(() => answerWith('codex', 'ok'));
  const env = { GITLAB_CI: 'true' };
  const { stderr } = await rig.run('tollgate', ['run', 'fix'], { env });
  assert.match(stderr, /^\u001b\[0Ksection_start:\d+:tollgate_run\[collapsed=true\]\r\u001b\[0Ktollgate run fix\n/);
  assert.match(stderr, /\n\u001b\[0Ksection_end:\d+:tollgate_run\r\u001b\[0K\n/);
  const plain = await rig.run('tollgate', ['run', 'fix', '--no-ci'], { env });
  assert.not.match(plain.stderr, 'section_');
});

test('--deadline: the run ends, and the next one continues', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  // Its call, if it comes to one, never ends by itself.
  const cut = await rig.start('tollgate', ['run', 'fix', '--deadline', '1s']).result;
  assert.is(cut.code, 143);
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await rig.run('tollgate', ['run', 'fix', '--deadline', '5h'])).code, 0);
});

test('a deadline says what it was, and a signal before it counts', async () => {
  const told = deadlineOf('1ms', new AbortController().signal);
  if (typeof told === 'string') return assert.unreachable(told);
  await untilStopped(told.stop);
  assert.is(stopWords(told.stop), 'its deadline (--deadline 1ms)');
  const earlier = deadlineOf('5h', AbortSignal.abort('SIGINT'));
  if (typeof earlier === 'string') return assert.unreachable(earlier);
  assert.is(stopWords(earlier.stop), 'SIGINT');
});

test('a deadline that is no duration is refused', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix', '--deadline', 'soon']);
  assert.equal([code, stderr], [2, 'tollgate run: --deadline takes a duration such as 50m or 5h, not "soon"\n']);
});

test('a line after each silence', async () => {
  const told: number[] = [];
  await new Promise<void>((resolve) => {
    const silence = startSilence(1, (ms) => {
      if (told.push(ms) < 3) return;
      silence.stop();
      resolve();
    });
  });
  assert.is(told.length, 3);
  assert.is(silenceLine('calls codex; a\u001b tool', 30_400), 'tollgate: calls codex; a tool (nothing new for 30 s)');
});

test.run();
