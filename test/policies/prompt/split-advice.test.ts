// What is said about a prompt that is too large: its largest parts, and what to do about them.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PartKind, PartSize } from '../../../policies/prompt/part.ts';
import { splitAdvice } from '../../../policies/prompt/split-advice.ts';

const part = (kind: PartKind, kept: number, name: string = kind, sections: string[] = []): PartSize => ({
  kind,
  name,
  chars: kept,
  kept,
  sections,
});

const ROWS: [what: string, parts: PartSize[], advice: string[]][] = [
  [
    'one large attachment',
    [part('rules', 600), part('attachment', 412_000, 'attachments/build.log'), part('request', 17_400)],
    ['attachments/build.log is 412,000 of 430,000 characters: attach less of it'],
  ],
  [
    'a request of several sections',
    [part('request', 90_000, 'request', ['Parser', 'Printer', 'Tests']), part('context', 10_000)],
    [
      'the request is 90,000 of 100,000 characters: it has 3 sections, make a task of each',
      'the context is 10,000 of 100,000 characters: shorten it to what this part needs',
    ],
  ],
  [
    'many small attachments',
    [part('request', 1000), ...Array.from({ length: 99 }, (_, i) => part('attachment', 1000, `${i}.txt`))],
    ['99 attachments are 99,000 of 100,000 characters: attach fewer of them'],
  ],
  [
    'an earlier answer',
    [part('answer', 500_000, 'answer of codex_impl'), part('role', 2000)],
    [
      'the answer of codex_impl is 500,000 of 502,000 characters: ask that stage for a shorter answer, or make a task of its own from here on',
    ],
  ],
  ['nothing but our own', [part('reading', 900)], ['the task is one large piece: split it into several tasks']],
];

for (const [what, parts, advice] of ROWS) test(what, () => assert.equal(splitAdvice(parts), advice));

test.run();
