// The skill for coding agents: its form, its table of classes against the literals, and each of its lines as it stands there.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { CLASSES, type ErrorClass } from '../../policies/facts/classes.ts';
import { RETRY_TABLE } from '../../policies/verdict/retry.ts';
import { linesToType, rowOfClass, SKILL } from '../rig/skill.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('the skill');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

test('a name and a description in front, and under 60 lines in all', () => {
  const [, front, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(SKILL)!;
  const { name, description, ...more } = parse(front!) as Record<string, string>;
  assert.equal([name, more, description!.length < 1024, body!.trim() !== ''], ['tollgate', {}, true, true]);
  assert.ok(SKILL.split('\n').length <= 60);
});

test('a row for each class, in order, and whether it was tried again as the retry table has it', () => {
  const tried = { retry: 'once', retry_digest: 'once, shorter', stop: 'no' };
  const classes = Object.keys(CLASSES) as ErrorClass[];
  assert.equal(
    [...SKILL.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, again]) => [name, again]),
    classes.map((name) => [name, tried[RETRY_TABLE[name].first]]),
  );
});

/** As words of a shell, of which none needs more than quotes. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);

const run = (rig: TestRig, line: string) => {
  const [command, ...argv] = words(line.replaceAll('TASK', 'fix').replaceAll('GOAL', 'Mend it.'));
  return rig.run(command!, argv);
};

test('the lines of its blocks do what they say, from a new task to its budget', async ({ rig }) => {
  rig.answer(({ report }) => answerWith(report.tool, '## Changed Files\n- none\n## Verdict\nPASS\n'));
  const [init, dry, real, ...looks] = [...SKILL.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
    block!
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +#.*/, '')),
  );
  assert.is((await run(rig, init!)).code, 0);
  const dried = await run(rig, dry!);
  assert.equal([dried.code, rig.calls.length], [0, 0], dried.stderr);
  // Its stage changes nothing, and so fails.
  const ran = await run(rig, real!);
  const { state, failure, next_actions } = JSON.parse(ran.stdout);
  assert.equal([ran.code, state, failure.class], [1, 'failed', 'contract_violation']);
  assert.ok(next_actions.length > 0);
  for (const look of looks) {
    const { code, stderr } = await run(rig, look);
    assert.is(code, 0, `${look}: ${stderr}`);
  }
});

/** What a CLI says of each; a gate says the rest. */
const FAILURES: Partial<Record<ErrorClass, readonly [said: string, status: number]>> = {
  transient: ['The model is overloaded', 503],
  prompt_too_large: ['Your input exceeds the context window of this model.', 400],
  auth: ['Incorrect API key provided', 401],
  quota: ['You exceeded your current quota, please check your plan and billing details.', 429],
  tooling: ['The model `x` does not exist or you do not have access to it.', 404],
  unknown: ['xyzzy', 400],
};

for (const name of Object.keys(CLASSES) as ErrorClass[])
  test(`${name}: each line of its row is one that tollgate takes`, async ({ rig }) => {
    const said = FAILURES[name];
    const isOut = name === 'scope_violation';
    makeTask(rig, { stages: [{ tool: 'codex', role: isOut ? 'impl' : 'review' }], scope: { deny: ['kept/**'] } });
    const change = isOut ? [{ do: 'save', file: 'kept/x', text: 'x' } as const] : [];
    rig.answer(() => (said ? failWith('codex', ...said) : [...change, ...answerWith('codex', 'Nothing to say.')]));
    const failed = JSON.parse((await rig.run('tollgate', ['run', 'fix', '--json'])).stdout);
    assert.is(failed.failure.class, name);
    for (const line of linesToType(rowOfClass(name))) {
      // A wait for hours is another test's.
      const { code, stderr } = await run(rig, line.replace('6h', '1s'));
      assert.is.not(code, 2, `${line}: ${stderr}`);
      assert.is.not(code, 70, `${line}: ${stderr}`);
    }
  });

test.run();
