// An agent that writes into the private folder of its own call, and outlives its wrapper: nothing of the user's is overwritten or read.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OVERLAY_FOLDERS } from '../../policies/facts/file-names.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { rewriteDraft } from '../rig/rewritten-draft.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask, untilStarted } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig; task: TestTask }>('planted attempt');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(({ rig }) => rig.dispose());

/** A call whose dispatcher and guardian are dead, after its agent has done something in its attempt's folder. */
async function orphaned(rig: TestRig, task: TestTask, plant: (attempt: string) => void) {
  const running = task.start();
  const fake = await rig.call();
  await untilStarted(task);
  const [call] = openCalls(task.journal.read().ledger);
  const { guardian, call_id: id } = call!.reserved;
  // It stands still, so that nothing of what is planted, nor the death of its dispatcher, reaches it before its own.
  process.kill(guardian.pid, 'SIGSTOP');
  plant(path.join(task.folder, 'state/attempts', id));
  running.signal('SIGKILL');
  process.kill(guardian.pid, 'SIGKILL');
  await running.result;
  return fake;
}

test('a draft that names other places is not followed there', async ({ rig, task }) => {
  const victim = rig.write('victim', 'precious');
  const other = path.join(rig.env.TMPDIR!, 'tg-abcdef');
  mkdirSync(other, { mode: 0o700 });
  const fake = await orphaned(rig, task, (attempt) => {
    const file = path.join(attempt, 'attempt.json');
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    const files = { ...saved.files, out: victim, err: `${victim}.err`, result: `${victim}.json` };
    writeFileSync(file, JSON.stringify({ ...saved, files, temporary: other, stage: '../../x', tool: 'gemini' }));
  });
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.is((await second).code, 0);
  assert.equal(
    [readFileSync(victim, 'utf8'), existsSync(`${victim}.err`), existsSync(other)],
    ['precious', false, true],
  );
  assert.equal([task.read('outputs/codex_brief.codex.out'), rig.calls.length], ['paid for', 1]);
});

test('a draft that names the private folder of another call does not have it removed', async ({ rig, task }) => {
  const [begins] = Object.values(OVERLAY_FOLDERS).flatMap((names) => names ?? []);
  const other = path.join(rig.home, `.local/state/tollgate/${begins}abcdef`);
  mkdirSync(other, { recursive: true, mode: 0o700 });
  const fake = await orphaned(rig, task, () =>
    rewriteDraft(task, openCalls(task.journal.read().ledger)[0]!, () => ({ overlay_folders: [other] })),
  );
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.equal([(await second).code, existsSync(other), rig.calls.length], [0, true, 1]);
});

test('a call whose guardian may live in another container is left to it, unless the user says that it is gone', async ({
  rig,
  task,
}) => {
  const elsewhere = { ...(await identify(process.pid))!, host: 'elsewhere', boot_id: 'another', pid_ns: 'another' };
  task.journal.append({
    fact: 'reserved',
    call_id: '20261123120000-0a1b2c3d',
    run_id: null,
    stage: 'codex_brief',
    tool: 'codex',
    attempt: 1,
    for_prompt: null,
    guardian: elsewhere,
    deadline_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  rig.answer(() => answerWith('codex', 'again'));
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length], [1, 0]);
  assert.match(JSON.stringify(report), 'has a call running on elsewhere (or in another container)');
  assert.equal([(await task.run('--force')).code, rig.calls.length], [0, 1]);
});

const DRAFTS: [what: string, text: string][] = [
  ['half of a draft', '{"call_id":'],
  ['a draft without its lists', '{"call_id":"x","tool":"codex"}'],
  ['no object', '[]'],
];
for (const [what, text] of DRAFTS)
  test(`${what} is none: the call is closed, told, and made once more`, async ({ rig, task }) => {
    const fake = await orphaned(rig, task, (attempt) => writeFileSync(path.join(attempt, 'attempt.json'), text));
    await fake.tell({ do: 'die', signal: 'SIGKILL' });
    rig.answer(() => answerWith('codex', 'again'));
    const { code, report } = await task.run();
    assert.equal([code, rig.calls.length, report.budget.used], [0, 2, 2]);
    assert.match(report.notes.join('\n'), 'was made once more');
  });

test('an answer whose verdict found no journal is taken from its attempt, and nobody is asked again', async ({
  rig,
  task,
}) => {
  const running = task.start();
  const fake = await rig.call();
  await untilStarted(task);
  rmSync(task.journal.file);
  symlinkSync(path.join(rig.project, 'nowhere'), task.journal.file);
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.is((await running.result).code, 1);
  assert.is(task.failure()?.reason, 'judge_changed');
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.budget.used], [0, 1, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('a verdict that is gone from the journal once all is published is taken from the record', async ({
  rig,
  task,
}) => {
  rig.answer(() => answerWith('codex', 'paid for'));
  // A process of its own: whoever made that reservation is dead by the next run.
  await task.start().result;
  const lines = readFileSync(task.journal.file, 'utf8').split('\n');
  const upTo = lines.findIndex((line) => line.includes('"started"'));
  writeFileSync(task.journal.file, lines.slice(0, upTo).join('\n').concat('\n'));
  // It says how long the journal was.
  rmSync(path.join(task.folder, 'state/stats.json'));
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.budget.used], [0, 1, 1]);
  assert.equal(task.journal.read().ledger.calls.size, 1);
});

const PLANTS: [what: string, plant: (file: string) => void][] = [
  ['a FIFO', (file) => execFileSync('mkfifo', [file])],
  ['a folder', (file) => mkdirSync(file)],
  ['a link', (file) => symlinkSync(`${path.dirname(file)}/../../../../../../secret`, file)],
];
const STOLEN = `${JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: 'stolen' } })}\n`;

const UNREAD = [
  ['stdout', 'a FIFO'],
  ['stdout', 'a link'],
  ['attempt.json', 'a folder'],
  ['attempt.json', 'a link'],
] as const;
for (const [name, what] of UNREAD)
  test(`${what} in the place of ${name} is not read`, async ({ rig, task }) => {
    rig.write('secret', STOLEN);
    await orphaned(rig, task, (attempt) => {
      rmSync(path.join(attempt, name));
      new Map(PLANTS).get(what)!(path.join(attempt, name));
    });
    rig.answer(() => answerWith('codex', 'again'));
    const { code } = await task.run();
    assert.equal([code, rig.calls.length], [0, 2]);
    assert.is(task.read('outputs/codex_brief.codex.out'), 'again');
    assert.not.match(task.read('outputs/codex_brief.codex.raw'), 'stolen');
  });

/** In the place of files of an attempt whose guardian lives, and after its death. */
const AWAY: [what: string, plant: (file: string) => void][] = [
  ...PLANTS,
  ['nothing', () => {}],
  ['another file', (file) => writeFileSync(file, STOLEN)],
];
const SAID: Record<string, string> = {
  'a FIFO': 'was replaced by a FIFO',
  'a folder': 'was replaced by a folder',
  'a link': 'was replaced by a symbolic link',
  nothing: 'was removed',
  'another file': 'was replaced by another file',
};
/** A FIFO is put in the place of the other files, too. */
const placesOf = (what: string, ...names: string[]) => [
  ...names,
  ...(what === 'a FIFO' ? ['prompt', 'usage.json'] : []),
];
const putIn = (attempt: string, names: readonly string[], plant: (file: string) => void) => {
  for (const name of names) {
    rmSync(path.join(attempt, name), { force: true });
    plant(path.join(attempt, name));
  }
};

for (const [what, plant] of AWAY)
  test(`${what} in the place of ${placesOf(what, 'stdout', 'stderr')} under a living guardian loses nothing`, async ({
    rig,
    task,
  }) => {
    rig.write('secret', STOLEN);
    const running = task.run();
    const fake = await rig.call();
    const [call] = openCalls(task.journal.read().ledger);
    const attempt = path.join(task.folder, 'state/attempts', call!.reserved.call_id);
    const [first, ...rest] = answerWith('codex', 'paid for');
    await fake.tell({ do: 'write', to: 'stderr', text: 'before\n' }, first!);
    putIn(attempt, placesOf(what, 'stdout', 'stderr'), plant);
    await fake.tell({ do: 'write', to: 'stderr', text: 'after\n' }, ...rest);
    const { code } = await running;
    assert.equal([code, rig.calls.length], [0, 1]);
    const read = (suffix: string) => task.read(`outputs/codex_brief.codex.${suffix}`);
    assert.equal([read('out'), read('err')], ['paid for', 'before\nafter\n']);
    assert.match(read('raw'), 'paid for');
    assert.not.match(read('raw'), 'stolen');
    for (const name of placesOf(what, 'stdout', 'stderr'))
      assert.match(read('call.json'), `${name} of the attempt ${SAID[what]} while the call ran`);
    assert.is(readFileSync(path.join(rig.project, 'secret'), 'utf8'), STOLEN);
    assert.not(existsSync(path.join(attempt, 'stdout')) && what !== 'a folder');
  });

for (const [what, plant] of AWAY.slice(0, 4))
  test(`${what} in the place of ${placesOf(what, 'stderr')} of a call that lost its guardian does not lose the answer`, async ({
    rig,
    task,
  }) => {
    rig.write('secret', STOLEN);
    const fake = await orphaned(rig, task, (attempt) => putIn(attempt, placesOf(what, 'stderr'), plant));
    const second = task.run();
    await fake.tell(...answerWith('codex', 'paid for'));
    assert.equal([(await second).code, rig.calls.length], [0, 1]);
    assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
    for (const name of placesOf(what, 'stderr'))
      assert.match(task.read('outputs/codex_brief.codex.call.json'), `${name} of the attempt ${SAID[what]}`);
    assert.not.match(task.read('outputs/codex_brief.codex.err'), 'stolen');
  });

test('a CLI that has said nothing yet, and whose stderr was taken away, continues under whoever takes its call over', async ({
  rig,
  task,
}) => {
  const fake = await orphaned(rig, task, (attempt) => rmSync(path.join(attempt, 'stderr')));
  const second = task.run();
  // As long as a model takes.
  await fake.tell({ do: 'wait', ms: 1000 }, ...answerWith('codex', 'paid for'));
  assert.equal([(await second).code, rig.calls.length], [0, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('who settles a call without its secrets withholds what may hold them, and takes the answer', async ({
  rig,
  task,
}) => {
  rig.env.ACME_API_KEY = 'zebra-plum-9471-kettle';
  const fake = await orphaned(rig, task, () => {});
  delete rig.env.ACME_API_KEY;
  await fake.tell({ do: 'write', to: 'stderr', text: 'warning: zebra-plum-9471-kettle is about to expire\n' });
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.equal([(await second).code, rig.calls.length], [0, 1]);
  for (const name of ['err', 'raw', 'call.json'])
    assert.match(task.read(`outputs/codex_brief.codex.${name}`), '[withheld: ACME_API_KEY of the call');
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('a run from within a call that lost its guardian is refused, and does not wait for itself', async ({
  rig,
  task,
}) => {
  const fake = await orphaned(rig, task, () => {});
  const nested = path.join(rig.root, 'nested');
  const script = path.resolve(import.meta.dirname, '../../dist/tollgate.cjs');
  await fake.tell({ do: 'run', argv: [process.execPath, script, 'run', 'fix'], to: nested });
  assert.match(readFileSync(nested, 'utf8'), 'was started from within the call of stage codex_brief');
  await fake.tell({ do: 'run', argv: [process.execPath, script, 'preflight', '--sweep', '--now'], to: nested });
  assert.match(readFileSync(nested, 'utf8'), 'a call may not sweep');
  const second = task.run();
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.equal([(await second).code, rig.calls.length], [0, 1]);
});

test.run();
