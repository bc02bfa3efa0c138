import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headOf } from '../../../policies/signature/log-head.ts';

const ROWS: [line: string, rest: string, level: 'error' | 'info' | null][] = [
  ['2026-11-21T20:16:49.882Z Error: boom', 'Error: boom', null],
  ['2026-11-21T20:40:48.1541022Z     at f (x.js:1:1)', '    at f (x.js:1:1)', null],
  ['2026-11-21 20:16:49,882 ERROR boom', 'boom', 'error'],
  ['[12:00:01] [ERROR] boom', 'boom', 'error'],
  ['Nov 21 20:16:49 info: ready', 'ready', 'info'],
  ['2026-11-21T20:16:49Z WARN slow', 'slow', 'info'],
  // The engine's own log, and what only begins with a figure.
  [
    '2026-11-21T20:59:41.325366Z ERROR codex_login::auth: no',
    '2026-11-21T20:59:41.325366Z ERROR codex_login::auth: no',
    null,
  ],
  ['12 files', '12 files', null],
  ['Error: boom', 'Error: boom', null],
];
for (const [line, rest, level] of ROWS)
  test(line, () => {
    const head = headOf(line);
    assert.equal([line.slice(head.length), head.level], [rest, level]);
  });

test.run();
