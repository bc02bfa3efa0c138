// What a run does around its calls, counted without a clock: what it loads, opens, writes, syncs and starts.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesOf, type CountedProcess, countIn, eventsOf } from '../../rig/counted.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('counted run');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** The scope makes it look through the tree, before the call and after it. */
const SCOPED = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }], scope: { allow: ['src/**'] } };
/** Longer than all else that a run writes. */
const REQUEST = `${'Look at everything. '.repeat(5000)}\n`;

/** Stands once in a prompt, and in nothing that it is made of. */
const IN_PROMPT = '# How to read this';

/** A task in a git repository whose request is long. @returns its run as it was counted: the dispatcher's part, then its guardian's. */
function countedTask(rig: TestRig) {
  execFileSync('git', ['init', '-q'], { cwd: rig.project });
  const task = makeTask(rig, SCOPED);
  rig.write('.tmp/task/fix/inputs/user_request.md', REQUEST);
  const counted = countIn(rig, IN_PROMPT);
  return async (calls: 0 | 1) => {
    const running = task.start();
    if (calls === 1) await (await rig.call()).tell(...answerWith('codex', 'ok'));
    const { code, stdout } = await running.result;
    assert.is(code, 0, stdout);
    const all = counted();
    assert.is(all.length, 1 + calls);
    return all.sort((one, other) => Number(other.script === 'tollgate.cjs') - Number(one.script === 'tollgate.cjs'));
  };
}

const namesOf = (run: CountedProcess, what: 'open' | 'write' | 'spawn', of: RegExp) =>
  eventsOf(run, what, of).map(({ file }) => withoutNumber(path.basename(file)));

/** Of a file before it gets its own name. */
const withoutNumber = (name: string) => name.replace(/\.\d+-\d+$/, '');

const atMost = (run: CountedProcess, what: Parameters<typeof eventsOf>[1], ceiling: number) => {
  // How many processes called us is the machine's.
  const count = eventsOf(run, what, /^(?!\/proc\/)/).length;
  assert.ok(count <= ceiling, `${count} times ${what}, and at most ${ceiling}`);
};

test('a run with nothing to do starts no process, and writes what tells of it', async ({ rig }) => {
  const run = countedTask(rig);
  await run(1);
  const [idle] = (await run(0)) as [CountedProcess];
  assert.equal(namesOf(idle, 'spawn', /(?:)/), []);
  // That it began, that it ended, and the two views of the task.
  assert.equal(namesOf(idle, 'write', /(?:)/), ['journal.jsonl', '._summary.md', 'journal.jsonl', '.stats.json']);
  // Both lines of the journal are synced in the background; the views are made from it again.
  atMost(idle, 'sync', 0);
  // The prompt is composed once, of its inputs read once.
  assert.equal(namesOf(idle, 'open', /user_request/), ['user_request.md']);
  assert.is(namesOf(idle, 'open', /manifest\.json$/).length, 1);
  // Half of them are the journal: it is read again wherever an agent may have written.
  atMost(idle, 'open', 55);
});

test('a run of one stage starts its guardian alone, and writes its prompt for a person and for the CLI, and nowhere else', async ({
  rig,
}) => {
  const run = countedTask(rig);
  const [stage, guardian] = (await run(1)) as [CountedProcess, CountedProcess];
  // In a tree that is not large git's files are read, and git is not started.
  assert.equal(namesOf(stage, 'spawn', /(?:)/), [path.basename(process.execPath)]);
  // For who looks, by which it counts as done; and for the call alone, as it is sent.
  const written = [stage, guardian].flatMap((each) => eventsOf(each, 'write'));
  const prompts = written.flatMap(({ file, holds = 0 }) => Array.from({ length: holds }, () => path.basename(file)));
  assert.equal(prompts.map(withoutNumber), ['.codex.review.md', 'prompt']);
  // The request itself is kept by the guard.
  assert.ok(bytesOf(written) < 3.5 * REQUEST.length);
  // Composed once; the second look is the guard's.
  assert.equal(namesOf(stage, 'open', /user_request/), ['user_request.md', 'user_request.md']);
  // The place of a journal that is new, as its lines: in the background.
  atMost(stage, 'sync', 0);
  atMost(stage, 'open', 140);
  atMost(stage, 'write', 30);
});

test.run();
