// What is told of a git that refused.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { complaintOf } from '../../../loops/tree/run-git.ts';

const HINT = 'Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).';
const FATAL = 'fatal: not a git repository (or any parent up to mount point /work)';

for (const [what, stderr, complaint] of [
  ['its complaint, without the hint below it', `${FATAL}\n${HINT}\n`, FATAL],
  ['its last line, where it complains in other words', 'error: one\nerror: two\n', 'error: two'],
  ['its exit code, where it says nothing', '\n', 'exit code 128'],
] as const)
  test(what, () => assert.is(complaintOf({ code: 128, stdout: '', stderr }), complaint));

test.run();
