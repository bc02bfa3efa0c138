// What is said of a folder whose repository git does not read.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryMistake } from '../../loops/tree/run-git.ts';

const ran = (stderr: string) => ({ code: 128, stdout: '', stderr });

test('a repository of another user: the command that approves it, quoted', () => {
  const said =
    "fatal: detected dubious ownership in repository at '/srv/o'brien'\nTo add an exception for this directory, call:\n";
  assert.is(
    repositoryMistake("/srv/o'brien/app", ran(said), 'leave diff out'),
    "git does not read the repository /srv/o'brien, since it belongs to another user. If you trust it: git config --global --add safe.directory '/srv/o'\\''brien'",
  );
});

test('no repository: what else to do', () => {
  const said = 'fatal: not a git repository (or any of the parent directories): .git\n';
  assert.is(
    repositoryMistake('/srv/app', ran(said), 'leave diff out'),
    '/srv/app is in no git repository (fatal: not a git repository (or any of the parent directories): .git); leave diff out',
  );
});

test.run();
