// Every file that we write is for its owner alone, and so is every folder, whatever the umask.

import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goodAnswer } from '../rig/answers.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('modes');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** What others may do something with, apart from what `mine` says. */
function open(folder: string, mine: (file: string) => boolean): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) return [];
    const { mode } = lstatSync(file);
    const told =
      (mode & 0o077) === 0 || mine(file) ? [] : [`${path.relative(folder, file)} ${(mode & 0o777).toString(8)}`];
    return entry.isDirectory() ? [...told, ...open(file, mine)] : told;
  });
}

for (const umask of [0o000, 0o077])
  test(`a run with a gate, a worktree, a batch, a wrapper and an archive under umask ${umask.toString(8)}`, async ({
    rig,
  }) => {
    const before = process.umask(umask);
    try {
      execFileSync('sh', ['-c', 'git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a'], {
        cwd: rig.project,
      });
      rig.answer((call) => answerWith(call.report.tool, goodAnswer('verify')));
      const stages = [
        { tool: 'codex', role: 'brief', ...ANY_ANSWER },
        { tool: 'gemini', role: 'verify', ...ANY_ANSWER },
      ];
      makeTask(rig, { stages, acceptance: { commands: ['true'] } }, 'one');
      makeTask(rig, { stages, worktree: true }, 'two');
      await rig.run('tollgate', ['init', 'three', '--pipeline', 'safe_impl', '--goal', 'x']);
      // What a person makes is a person's own.
      const mine = (file: string) =>
        // The project's own, for all who read the repository.
        (/\/\.gitignore$/.test(file) && (lstatSync(file).mode & 0o022) === 0) ||
        /\/(?:\.git|manifest\.json|ask\.md)$/.test(file) ||
        /\/\.git\/|\/worktrees\/two(?:\/|$)/.test(file) ||
        /\/\.tmp(?:\/task(?:\/(?:one|two))?)?$|\/archive\/.*one-[\d-]+$/.test(file);
      const batch = await rig.run('tollgate', ['batch', 'one', 'two', '--concurrency', '2', '--json']);
      assert.is(batch.code, 0, batch.stdout + batch.stderr);
      await runWrapper(rig, 'copilot', ['--out', 'made/by/us.out', '--pid-file', 'made/too/pid']).ended();
      assert.equal(open(rig.project, mine), []);
      const archived = await rig.run('tollgate', ['archive', 'one']);
      assert.is(archived.code, 0, archived.stderr);
      assert.equal(open(rig.project, mine), []);
    } finally {
      process.umask(before);
    }
  });

test.run();
