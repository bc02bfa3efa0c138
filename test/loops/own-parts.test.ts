// Described CLIs in the places of others: worker and reasoner of a supervision, and the stages of a pipeline, in five lines of shell.

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { superviseTask } from '../rig/supervise-run.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('own parts');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const script = (rig: TestRig, name: string, text: string) =>
  chmodSync(rig.write(`${name}.sh`, `#!/bin/sh\n${text}\n`), 0o755);

/** A process has one description of each name, and these tests share one. */
const toolsOf = (worker: string, reasoner: string) => `tools:
  ${worker}: { binary: ./hand.sh }
  ${reasoner}:
    binary: ./head.sh
    access: { read: [] }
    output: json
    document: { answer: said }
`;

/** @param first what the reasoner says; `then` from the second time on. */
function supervised(rig: TestRig, [worker, reasoner]: [string, string], first: string, then: string) {
  const asked = path.join(rig.root, 'asked');
  script(rig, 'hand', 'cat > /dev/null; echo worked >> work.txt; echo "The step is done."');
  const says = (answer: string) => `printf '%s\\n' '${answer}'`;
  script(
    rig,
    'head',
    `cat > /dev/null\nif [ -e '${asked}' ]; then ${says(then)}; else : > '${asked}'; ${says(first)}; fi`,
  );
  rig.write('tollgate.yaml', toolsOf(worker, reasoner));
  return superviseTask(rig, { supervise: { worker: { tool: worker }, reasoner: { tool: reasoner } } });
}

const said = (answer: object): string => JSON.stringify({ said: JSON.stringify(answer) });
const CONTINUE = said({ action: 'continue', instruction: 'Write the second line.' });
const DONE = said({ action: 'done', summary: 'Both lines.' });
const workOf = (rig: TestRig): string => readFileSync(path.join(rig.project, 'work.txt'), 'utf8');

test('worker and reasoner of a supervision', async ({ rig }) => {
  const task = supervised(rig, ['hand', 'head'], CONTINUE, DONE);
  const { code, said: told } = await task.supervise('--trust-workspace');
  assert.equal([code, workOf(rig), task.journal.read().ledger.used], [0, 'worked\nworked\n', 4], told);
  assert.equal(rig.survivors(), []);
  const logs = await rig.run('tollgate', ['logs', 'fix', '--stage=worker']);
  assert.match(logs.stdout, 'The step is done.');
});

test('a reasoner whose answers are elsewhere is told as that, and ends in a saved session', async ({ rig }) => {
  const task = supervised(rig, ['arm', 'mind'], '{"other":1}', '{"other":1}');
  const { code, summary } = await task.supervise('--trust-workspace');
  assert.is(code, 1);
  assert.match(summary, 'no_answer_field');
  assert.ok(existsSync(path.join(task.folder, 'state/session_save.json')));
});

test('the stages of a pipeline', async ({ rig }) => {
  script(rig, 'hand', 'cat > prompt.txt; echo "The brief of it."');
  const stages =
    '[{ tool: finger, role: brief, requires: [], min_lines: 0 }, { tool: finger, role: verify, requires: [], min_lines: 0, on_fail: note }]';
  rig.write('tollgate.yaml', `tools: { finger: { binary: ./hand.sh } }\npipelines: { mine: ${stages} }\n`);
  const task = makeTask(rig, { pipeline: 'mine' });
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix', '--trust-workspace']);
  assert.equal([code, task.journal.read().ledger.used], [0, 2], stderr);
});

test.run();
