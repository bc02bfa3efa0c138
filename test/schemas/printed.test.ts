// What commands print with --json is what the published schemas say, whole; and every refusal is one object.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SUBCOMMANDS } from '../../bin/tollgate/subcommands.ts';
import { validatorOf } from '../rig/schemas/validator.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('printed');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

async function fits(rig: TestRig, schema: string, command: string, argv: string[], code = 0): Promise<void> {
  const ended = await rig.run(command, [...argv, '--json']);
  assert.is(ended.code, code, ended.stderr);
  const validate = validatorOf(`${schema}_SCHEMA`);
  assert.ok(validate(JSON.parse(ended.stdout)), JSON.stringify(validate.errors?.slice(0, 3)));
}

test('of a task that was never run', async ({ rig }) => {
  makeTask(rig, ONE);
  await fits(rig, 'STATUS', 'tollgate', ['status']);
  await fits(rig, 'EXPLAIN', 'tollgate', ['explain', 'fix']);
  await fits(rig, 'BUDGET', 'tollgate', ['budget', 'fix']);
  await fits(rig, 'FORECAST', 'tollgate', ['run', 'fix', '--dry-run']);
  await fits(rig, 'FORECAST', 'tollgate', ['run', 'fix', '--dry-run', '--show-prompt']);
});

test('of a task that is done, and of one that failed', async ({ rig }) => {
  rig.answer((call) =>
    call.report.stdin.text.includes('Break.')
      ? failWith('codex', 'unexpected status 401 Unauthorized', 401)
      : answerWith('codex', 'ok'),
  );
  await makeTask(rig, ONE).run();
  await makeTask(rig, { ...ONE, goal: 'Break.' }, 'broken').run();
  await fits(rig, 'STATUS', 'tollgate', ['status']);
  await fits(rig, 'EXPLAIN', 'tollgate', ['explain', 'broken']);
  await fits(rig, 'BUDGET', 'tollgate', ['budget', 'fix']);
  await fits(rig, 'FORECAST', 'tollgate', ['run', 'fix', '--dry-run']);
  await fits(rig, 'WAIT', 'wait_parallel_tasks', ['fix', 'broken'], 1);
});

test('of an answer that its gate refused', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'No.'));
  await makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] }).run();
  await fits(rig, 'EXPLAIN', 'tollgate', ['explain', 'fix']);
});

test('of a call under way', async ({ rig }) => {
  const running = makeTask(rig, ONE).start();
  const fake = await rig.call();
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  await fits(rig, 'STATUS', 'tollgate', ['status']);
  await fake.tell(...answerWith('codex', 'ok'));
  await running.result;
});

test('of a machine, and of a sweep', async ({ rig }) => {
  rig.uninstall('codex');
  await fits(rig, 'PREFLIGHT', 'preflight', ['--quick', '--tools=codex'], 1);
  await fits(rig, 'PREFLIGHT', 'preflight', ['--sweep']);
});

for (const word of Object.keys(SUBCOMMANDS))
  test(`tollgate ${word}: a usage error is one object, and nothing else on stdout`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run('tollgate', [word, '--json', '--no-such-flag-at-all']);
    const { schema, exit_code, state, message } = JSON.parse(stdout);
    assert.equal([code, schema, exit_code, state], [2, 1, 2, 'refused']);
    assert.equal([stdout.indexOf('\n'), message], [stdout.length - 1, 'unknown flag --no-such-flag-at-all']);
    assert.match(stderr, `: ${message}\n`);
  });

test.run();
