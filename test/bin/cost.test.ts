// D7: what a call loads. The historical toolkit took 13.7 s for one dispatched stage; timings live in bench, but what
// costs them can be asserted: a success loads one bundle, and a dispatched call is two processes beside the dispatcher.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig; loaded: () => string[][] }>('cost');
test.before.each(async (context) => {
  const { rig } = Object.assign(context, { rig: await TestRig.open() });
  const log = rig.write('loaded.jsonl', '');
  const hook = rig.write(
    'hook.cjs',
    `process.on('exit', () => require('node:fs').appendFileSync(${JSON.stringify(log)}, JSON.stringify(Object.keys(require.cache)) + '\\n'))`,
  );
  rig.env.NODE_OPTIONS = `--require ${JSON.stringify(hook)}`;
  // Which of our bundles each process loaded; the fakes and the hook itself are not ours.
  context.loaded = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) =>
        (JSON.parse(line) as string[]).filter((file) => file.includes('/dist/')).map((file) => path.basename(file)),
      )
      .filter((bundles) => bundles.length > 0);
});
test.after.each(({ rig }) => rig.dispose());

for (const tool of TOOLS)
  test(`D7: a success of ${ADAPTERS[tool].command} loads its one bundle`, async ({ rig, loaded }) => {
    rig.answer(() => answerWith(tool, 'ok'));
    rig.write('ask.md', 'x');
    await rig.start(ADAPTERS[tool].command, ['--prompt-file=ask.md', '--out=o', '--err=e', '--result=r']).result;
    assert.equal(loaded(), [[`${ADAPTERS[tool].command}.cjs`]]);
  });

test('D7: a dispatched call is one guardian and one CLI', async ({ rig, loaded }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }).run()).code, 0);
  assert.equal(
    loaded().map((bundles) => bundles[0]),
    ['run_codex.cjs', 'tollgate.cjs'],
  );
  assert.is(rig.calls.length, 1);
});

test.run();
