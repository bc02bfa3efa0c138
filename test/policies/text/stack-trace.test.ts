// A stack trace is cut to its first own line, wherever it stands among other lines.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutStacks } from '../../../policies/text/stack-trace.ts';

const ROWS: [why: string, lines: string[], kept: string[]][] = [
  ['no stack', ['one', 'look at this', 'at last'], ['one', 'look at this', 'at last']],
  [
    'a stack of Node',
    [
      'TypeError: x is no function',
      '    at Module.run (/p/node_modules/lib/index.js:3:1)',
      '    at async check (/p/src/check.ts:12:5)',
      '    at node:internal/main/run_main_module:23:47',
      'done',
    ],
    [
      'TypeError: x is no function',
      '    at async check (/p/src/check.ts:12:5)',
      '    (and 2 more of the stack)',
      'done',
    ],
  ],
  [
    'nothing of its own',
    ['Error: no', '    at a (/x/node_modules/a.js:1:1)', '    at b (node:fs:1:1)'],
    ['Error: no', '    at a (/x/node_modules/a.js:1:1)', '    (and 1 more of the stack)'],
  ],
  ['one line of it', ['Error: no', '    at a (/p/a.js:1:1)'], ['Error: no', '    at a (/p/a.js:1:1)']],
  [
    'a traceback of Python, whose innermost call is the last',
    [
      'Traceback (most recent call last):',
      '  File "/p/test_a.py", line 3, in test',
      '    run()',
      '  File "/p/a.py", line 9, in run',
      '    return 1 / 0',
      '  File "/usr/lib/python3.12/x.py", line 1, in y',
      '    z',
      'ZeroDivisionError: division by zero',
    ],
    [
      'Traceback (most recent call last):',
      '  File "/p/a.py", line 9, in run',
      '    return 1 / 0',
      '  (and 2 more of the stack)',
      'ZeroDivisionError: division by zero',
    ],
  ],
];
for (const [why, lines, kept] of ROWS) test(why, () => assert.equal(cutStacks(lines), kept));

test.run();
