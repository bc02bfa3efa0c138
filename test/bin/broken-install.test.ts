// A CLI that cannot start is found before anything is paid; one that ends as a stub of its package is started once.

import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('broken install');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

function put(rig: TestRig, name: string, text: string): void {
  const file = path.join(rig.bin, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

for (const tool of TOOLS)
  test(`${tool}: an empty file is not started`, async ({ rig }) => {
    put(rig, ADAPTERS[tool].binary, '');
    const { record, said } = await runWrapper(rig, tool, ['--trust-workspace']).ended();
    assert.equal(
      [record.ending, record.verdict.class, record.verdict.reason],
      ['not_started', 'tooling', 'broken_install'],
      said,
    );
    assert.match(said, 'is empty (0 bytes)');
  });

test('a run with an empty file pays nothing', async ({ rig }) => {
  put(rig, 'codex', '');
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'worker', ...ANY_ANSWER }] });
  const { report } = await task.run();
  assert.equal([report.failure?.reason, report.budget.used], ['broken_install', 0]);
});

test('a run starts a stub once', async ({ rig }) => {
  const stub = 'echo started >> started\necho "Error: claude native binary not installed." >&2\nexit 1\n';
  put(rig, 'claude', `#!/bin/sh\n${stub}`);
  const task = makeTask(rig, { stages: [{ tool: 'claude', role: 'worker', ...ANY_ANSWER }] });
  const { report } = await task.run();
  assert.equal([report.failure?.class, report.failure?.reason, report.budget.used], ['tooling', 'broken_install', 1]);
});

test('preflight fails for a CLI that reports no version, and for an empty one', async ({ rig }) => {
  put(rig, 'claude', '#!/bin/sh\nexit 1\n');
  put(rig, 'codex', '');
  const { code, stdout } = await rig.run('preflight', ['--tools=claude,codex', '--json']);
  assert.is(code, 1);
  const failed = (JSON.parse(stdout).findings as { check: string; status: string }[])
    .filter(({ status }) => status === 'fail')
    .map(({ check }) => check);
  assert.ok(failed.includes('claude version') && failed.includes('codex command'), failed.join());
});

test.run();
