// What a service or a model says may hold what a terminal obeys: pages for people have words alone.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STREAMS, type Stream, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('control characters');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const OBEYED = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r';
const UNSEEN = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

test('in an error, a session id and stderr: none reaches a page', async ({ rig }) => {
  const session = `s${OBEYED}`;
  const said = `401 Unauthorized ${OBEYED} bad key`;
  const { opens, fails }: Stream = STREAMS.codex;
  rig.answer(() => [
    write([...opens(session), ...fails(said, 401, session)]),
    { do: 'write', to: 'stderr', text: `Error: ${said}\n` },
    { do: 'exit', code: 1 },
  ]);
  const task = makeTask(rig, { goal: `Do it.${OBEYED}`, stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const { stdout, stderr } = await rig.run('tollgate', ['run', 'fix']);
  const pages = [stdout, stderr, task.read('outputs/_summary.md')];
  rig.write('err', `Error: ${said}\n`);
  const commands = [
    ['explain', 'fix'],
    ['report'],
    ['report', '--format', 'md'],
    ['budget', 'fix'],
    ['batch', 'fix', '--concurrency', '1'],
    ['triage', 'err', '--tool', 'codex', '--explain'],
    ['signature', 'err', '--explain'],
  ];
  for (const argv of commands) {
    const shown = await rig.run('tollgate', argv);
    pages.push(shown.stdout + shown.stderr);
  }
  assert.match(pages.join(''), 'bad key');
  assert.equal(
    pages.filter((page) => UNSEEN.test(page)),
    [],
  );
});

test.run();
