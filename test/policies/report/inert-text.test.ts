// What a comment says of a run: found again by its mark, and nothing of it is obeyed by the service that shows it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toDo } from '../../../policies/facts/next-action.ts';
import { commentText } from '../../../policies/report/inert-text.ts';

const RUN = { task_id: 'fix', state: 'done', failure: null, next_actions: [], answer: '', checked_earlier: null };

/** `~` stands for the sign that is not seen. */
const SAID: readonly (readonly [answer: string, shown: string])[] = [
  ['plain *words*, 3 < 4, a@, #, C#', 'plain *words*, 3 < 4, a@, #, C#'],
  ['## Findings', '## Findings'],
  ['@everyone and mail@example.org', '@~everyone and mail@~example.org'],
  ['fixes #12, !34, GH-5', 'fixes #~12, !~34, GH-~5'],
  ['<img src=x><!-- tollgate: fix --></b>', '<~img src=x><~!-- tollgate: fix --><~/b>'],
  ['![x](https://example.org/seen)', '!~[x](https://example.org/seen)'],
  ['/merge\n  /close\n> /approve\n- /assign me\nsrc/a.ts', '~/merge\n  ~/close\n> ~/approve\n- ~/assign me\nsrc/a.ts'],
  ['red \u001b[31m, turned \u202e about', 'red  [31m, turned   about'],
];
for (const [answer, shown] of SAID)
  test(JSON.stringify(answer), () =>
    assert.is(
      commentText({ ...RUN, answer }).replaceAll('\u200b', '~'),
      `<!-- tollgate: fix -->\n\n**fix**: done\n\n${shown}`,
    ),
  );

test('one that failed says why and what to do first', () => {
  const failure = { class: 'quota', reason: 'daily_limit' };
  const next_actions = [toDo('ask @owner'), toDo('another')];
  assert.is(
    commentText({ ...RUN, state: 'failed', failure, next_actions }),
    '<!-- tollgate: fix -->\n\n**fix**: failed: quota (daily_limit)\n\nNext: ask @\u200bowner',
  );
});

test('a long answer is cut to what both services take', () => {
  const said = commentText({ ...RUN, answer: '<a'.repeat(100_000) });
  assert.ok(said.length <= 65_000 && said.endsWith('[cut: the file has more]'), String(said.length));
});

test('a result of an earlier run is marked', () => {
  const said = commentText({ ...RUN, answer: 'PASS', checked_earlier: '2026-11-27T00:00:00Z' });
  assert.match(said, 'This result is of an earlier run (2026-11-27T00:00:00Z).\n\nPASS');
});

test.run();
