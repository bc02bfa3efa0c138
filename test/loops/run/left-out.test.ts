// What a digest leaves out of a prompt stands by name and size wherever somebody reads of the answer; with `off` nothing is.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Forecast } from '../../../loops/run/forecast.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('left out');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STAGE = { tool: 'codex', role: 'brief', ...ANY_ANSWER };
const SMALL = 'prompts: {max_chars: {codex: 12000}}\n';
const TOO_LONG =
  "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";

const recordOf = (task: TestTask): CallRecord => JSON.parse(task.read('outputs/codex_brief.codex.call.json'));

test('29 kB attached reach the model whole where nothing else is said', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const task = makeTask(rig, { stages: [STAGE] });
  const text = 'a line of it\n'.repeat(2256);
  rig.write('.tmp/task/fix/inputs/attachments/a.md', text);
  const { code, report, summary } = await task.run();
  assert.equal([code, report.stages[0]!.left_out, recordOf(task).left_out], [0, [], undefined]);
  assert.ok(rig.calls[0]!.report.stdin.text.includes(text));
  assert.not.match(summary, 'left out');
});

test('what auto leaves out is in progress, summary, report, record and dry run, and again when the stage is done', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', 'ok'));
  rig.write('tollgate.yaml', SMALL);
  const task = makeTask(rig, { stages: [STAGE] });
  rig.write('.tmp/task/fix/inputs/attachments/a.md', 'a line of it\n'.repeat(2256));
  const dry = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--json']);
  const [foreseen] = (JSON.parse(dry.stdout) as Forecast).stages;
  const [part] = foreseen!.left_out;
  assert.equal([foreseen!.digest, part!.what, part!.chars], ['auto', 'attachment attachments/a.md', 29_328]);
  const words = `attachment attachments/a.md: ${part!.kept.toLocaleString('en')} of 29,328 characters`;
  const shown = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.match(shown.stdout, `\n  left out: ${words}\n`);
  const { code, said, report, summary } = await task.run();
  assert.equal([code, rig.calls.length], [0, 1]);
  assert.ok(rig.calls[0]!.report.stdin.text.length <= 12_100);
  assert.match(said, `tollgate: stage codex_brief: left out of the prompt: ${words} (digest auto)\n`);
  assert.match(summary, `Left out of the prompts (context.digest_policy):\n- codex_brief: ${words}\n`);
  assert.is(summary.split(words).length, 2);
  const record = recordOf(task);
  assert.is(record.warnings[0], `left out of the prompt: ${words}`);
  assert.equal([record.left_out, report.stages[0]!.left_out], [[part], [part]]);
  assert.equal(
    report.stages[0]!.warnings,
    record.warnings.map((warning) => `codex_brief: ${warning}`),
  );
  const again = await task.run();
  assert.equal([again.report.stages[0]!.state, again.report.stages[0]!.left_out], ['done_earlier', [part]]);
  assert.match(again.summary, `- codex_brief: ${words}\n`);
});

test('an earlier answer that is cut is named in the stage that read it', async ({ rig }) => {
  rig.write('tollgate.yaml', SMALL);
  rig.answer((call) =>
    answerWith('codex', call.report.stdin.text.includes('Your part: impl') ? 'ok' : 'a word '.repeat(3000)),
  );
  const stages = [STAGE, { tool: 'codex', role: 'impl', may_be_empty: true, ...ANY_ANSWER }];
  const { report, summary } = await makeTask(rig, { stages }).run();
  assert.equal(
    report.stages.map(({ left_out }) => left_out.map(({ what, chars }) => [what, chars])),
    [[], [['answer of codex_brief', 21_000]]],
  );
  assert.match(summary, /\n- codex_impl: answer of codex_brief: [\d,]+ of 21,000 characters\n/);
});

test('a retry with a digest says what that one left out, by name', async ({ rig }) => {
  let calls = 0;
  rig.answer(() => (calls++ === 0 ? failWith('codex', TOO_LONG, 400) : answerWith('codex', 'ok')));
  const task = makeTask(rig, { stages: [STAGE] });
  rig.write('.tmp/task/fix/inputs/attachments/a.log', 'a line of it\n'.repeat(30_000));
  const { code, said, report, summary } = await task.run();
  const [first, second] = rig.calls.map(({ report: { stdin } }) => stdin.text.length);
  assert.equal([code, rig.calls.length], [0, 2]);
  assert.ok(first! > 390_000 && second! < first! / 20, `${first} ${second}`);
  const words = 'attachment attachments/a.log: 0 of 390,000 characters';
  assert.match(said, `stage codex_brief: left out of the prompt: ${words} (digest aggressive)`);
  assert.match(summary, `- codex_brief: ${words}\n`);
  assert.is(recordOf(task).warnings[0], `left out of the prompt: ${words}`);
  assert.equal(report.stages[0]!.left_out, [{ what: 'attachment attachments/a.log', kept: 0, chars: 390_000 }]);
});

test('off over the limit: nothing is reserved, the failure names what is large, and the dry run says so', async ({
  rig,
}) => {
  const stages = [STAGE, { tool: 'codex', role: 'review', attach: ['big.txt'], ...ANY_ANSWER }];
  const task = makeTask(rig, { stages, context: { digest_policy: 'off' } });
  rig.write('big.txt', 'x'.repeat(450_000));
  const dry = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.is(dry.code, 0);
  assert.match(
    dry.stdout,
    /warning: its prompt has 45\d,\d{3} characters, of 400,000 at most for codex; context.digest_policy is off, so nothing of it was omitted: the run would end with prompt_too_large, and pay nothing\n/,
  );
  const { code, report, summary } = await task.run('--exit-by-class');
  assert.equal([code, rig.calls.length, report.budget.used, report.exit_code], [66, 0, 0, 1]);
  const { failure } = report;
  assert.equal(
    [failure!.class, failure!.reason, failure!.stage, failure!.evidence?.rule],
    ['prompt_too_large', 'prompt_limit', 'codex_review', 'prompt-over-limit'],
  );
  assert.match(report.next_actions[0]!.text, /^big\.txt is 450,000 of 45\d,\d{3} characters: attach less of it$/);
  assert.equal(report.next_actions.slice(1).map(actionLine), [
    'or set context.digest_policy: auto in the manifest: it leaves out the rest, and says what',
    'or, where its model takes more, raise prompts.max_chars.codex in tollgate.yaml',
    'then continue: `tollgate run fix`',
  ]);
  assert.match(summary, 'failed at codex_review, prompt_too_large (prompt_limit)');
  assert.is(task.failure()!.class, 'prompt_too_large');
  assert.not(task.journal.read().ledger.calls.size);
  rig.answer(() => answerWith('codex', 'ok'));
  rig.write('tollgate.yaml', 'prompts: {max_chars: {codex: 500000}}\n');
  const more = await task.run();
  assert.equal([more.code, rig.calls.length], [0, 2]);
  assert.ok(rig.calls[1]!.report.stdin.text.includes('x'.repeat(450_000)));
});

test('off, where only the answers before it make a prompt too large: it stops there', async ({ rig }) => {
  rig.write('tollgate.yaml', SMALL);
  rig.answer(() => answerWith('codex', 'a word '.repeat(3000)));
  const stages = [STAGE, { tool: 'codex', role: 'impl', ...ANY_ANSWER }];
  const { code, report } = await makeTask(rig, { stages, context: { digest_policy: 'off' } }).run();
  assert.equal([code, rig.calls.length, report.failure?.stage], [1, 1, 'codex_impl']);
  assert.match(report.next_actions[0]!.text, /^the answer of codex_brief is 21,000 of /);
});

test('off, and the model refuses: no digest is paid for', async ({ rig }) => {
  rig.answer(() => failWith('codex', TOO_LONG, 400));
  const task = makeTask(rig, { stages: [STAGE], context: { digest_policy: 'off' } });
  rig.write('.tmp/task/fix/inputs/attachments/a.log', 'a line of it\n'.repeat(3000));
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.failure?.class], [1, 1, 'prompt_too_large']);
  assert.is(report.failure!.decision.why, 'nothing is omitted from its prompt, since context.digest_policy is off');
});

test.run();
