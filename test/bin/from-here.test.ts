// Tests that a terminal shows times by the local clock, and paths as they are seen from the working folder.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromHere, whenWords } from '../../bin/from-here.ts';

const now = new Date(2026, 10, 28, 15, 0, 30);
const READER = { cwd: '/home/ann/shop', home: '/home/ann', now };
const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).toISOString();

const CASES: [text: string, shown: string][] = [
  [`held since ${at(28, 14, 53)} (long_reset)`, 'held since 14:53 (7 min ago) (long_reset)'],
  [`until ${at(28, 18, 6)}; nothing was started`, 'until 18:06 (in 3 h); nothing was started'],
  [`${at(27, 14, 0)}: failed`, '2026-11-27 14:00 (1 day ago): failed'],
  [`(${at(28, 15, 0).replace(':00.000Z', 'Z')})`, '(15:00 (just now))'],
  ['read /home/ann/shop/.tmp/task/a/x.log', 'read .tmp/task/a/x.log'],
  ["`tollgate batch --from '/home/ann/shop/a b.txt'`", "`tollgate batch --from 'a b.txt'`"],
  ['\u001b[2m/home/ann/shop/a.txt\u001b[22m', '\u001b[2ma.txt\u001b[22m'],
  ['/home/ann/shop is trusted now', '~/shop is trusted now'],
  ['/srv/shop is trusted now', '/srv/shop is trusted now'],
  ['stored in /home/ann/.codex', 'stored in ~/.codex'],
  ["'/home/ann/my key'", "'/home/ann/my key'"],
  ['/home/ann/shopping/list, file:///home/ann/shop/a', '~/shopping/list, file:///home/ann/shop/a'],
  [
    'log-2026-11-28T14:53:00Z.txt, --since=2026-11-28T14:53:00Z',
    'log-2026-11-28T14:53:00Z.txt, --since=2026-11-28T14:53:00Z',
  ],
  ['2026-99-99T99:99Z', '2026-99-99T99:99Z'],
];

for (const [text, shown] of CASES)
  test(`a terminal shows: ${shown}`, () => {
    assert.is(fromHere(text, READER), shown);
    assert.is(fromHere(shown, READER), shown, 'a second time changes nothing');
  });

test('a folder that is the root, or is no path, changes nothing', () => {
  assert.is(fromHere('/etc/passwd', { cwd: '/', home: '', now }), '/etc/passwd');
});

test('seconds are shown only for what is less than a minute ahead', () => {
  assert.match(whenWords(new Date(now.getTime() + 20_000).toISOString(), now), /^15:00 \(in 20 s\)$/);
});

test.run();
