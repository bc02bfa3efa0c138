// Limits that cannot be read are no reason to pay as if there were none.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('unreadable limits');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('ask.md', 'Say hello.\n');
  context.rig.answer(() => answerWith('codex', 'hello'));
});
test.after.each(({ rig }) => rig.dispose());

const inFolder = (make: (folder: string) => void) => (folder: string) => {
  mkdirSync(folder, { recursive: true });
  make(folder);
};
const instead = (make: (folder: string) => void) => (folder: string) => {
  mkdirSync(path.dirname(folder), { recursive: true });
  make(folder);
};

const FORMS: [what: string, make: (folder: string) => void][] = [
  ['limits.json is a link that leads nowhere', inFolder((at) => symlinkSync('/nowhere', `${at}/limits.json`))],
  ['limits.json is a circular link', inFolder((at) => symlinkSync('limits.json', `${at}/limits.json`))],
  ['limits.json is a folder', inFolder((at) => mkdirSync(`${at}/limits.json`))],
  ['the folder is a link that leads nowhere', instead((at) => symlinkSync('/nowhere/limits', at))],
  ['the folder is a circular link', instead((at) => symlinkSync(path.basename(at), at))],
  ['the folder is a file', instead((at) => writeFileSync(at, 'x'))],
  [
    'a folder above is a link that leads nowhere',
    (at) => {
      mkdirSync(path.dirname(path.dirname(at)), { recursive: true });
      symlinkSync('/nowhere', path.dirname(at));
    },
  ],
];

for (const [what, make] of FORMS)
  test(`where ${what}, a call and a run are refused, and pay nothing`, async ({ rig }) => {
    make(path.join(rig.home, '.local/state/tollgate/limits'));
    const files = ['--prompt-file', 'ask.md', '--out', 'o', '--err', 'e', '--result', 'r.json'];
    const call = await rig.run('run_codex', files);
    const { verdict } = JSON.parse(readFileSync(path.join(rig.project, 'r.json'), 'utf8'));
    assert.equal([verdict.class, verdict.reason, rig.calls.length], ['tooling', 'bad_state', 0], call.stderr);
    assert.match(call.stderr, 'nothing was started');
    const { code, report } = await makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }).run();
    assert.equal([code === 0, report.failure?.reason, rig.calls.length], [false, 'bad_state', 0]);
  });

test('limits of a project file that is a link count, and one that leads nowhere is refused', async ({ rig }) => {
  writeFileSync(path.join(rig.root, 'shared.yaml'), 'limits: {budgets: [{calls: 1, per: day}]}\n');
  symlinkSync(path.join(rig.root, 'shared.yaml'), path.join(rig.project, 'tollgate.yaml'));
  const call = () =>
    rig.run('run_codex', ['--prompt-file', 'ask.md', '--out', 'o', '--err', 'e', '--result', 'r.json']);
  const codes = [(await call()).code, (await call()).code];
  assert.equal([codes[0] === 0, codes[1] === 0, rig.calls.length], [true, false, 1]);
});

test.run();
