// The three digests: what each keeps whole, what it cuts, and what it names instead.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { composeText, type Digest } from '../../../policies/prompt/compose-text.ts';
import { shorten, wholeText } from '../../../policies/prompt/excerpt.ts';
import { type Omission, omissionSentence, omissionsOf, omissionWords } from '../../../policies/prompt/omissions.ts';
import type { PromptSource } from '../../../policies/prompt/source.ts';
import { asking, attachment, REDACTOR, sourceOf } from './source.ts';

/** Small, so that the sources can be small. */
const LIMIT = 8000;

const compose = (source: PromptSource, digest: Digest) => composeText(source, digest, REDACTOR, LIMIT);

const long = (word: string, chars: number) => `${word} `.repeat(Math.ceil(chars / (word.length + 1))).slice(0, chars);

const kept = (source: PromptSource, digest: Digest, kind: string) =>
  compose(source, digest).parts.filter((part) => part.kind === kind && part.kept > 0);

const REQUEST = `Skip empty lines.

## 1. Non-Goals:
No rewrite.

### But
not this either

## Plan

\`\`\`
# Decisions
no heading at all
\`\`\`

**Fixed decisions**
-------------------
Lines are split by \\n.
`;

test('auto leaves a prompt of up to 8,000 characters as it is, and says so', () => {
  const base = compose(sourceOf({ request: asking('x') }), 'off').text.length - 1;
  const exactly = sourceOf({ request: asking('x'.repeat(8000 - base)) });
  assert.is(compose(exactly, 'auto').text.length, 8000);
  assert.is(compose(exactly, 'auto').digest, 'off');
  const over = sourceOf({ request: asking('x'.repeat(8001 - base)) });
  assert.is(compose(over, 'auto').digest, 'auto');
});

test('auto cuts what is told besides, and keeps request, scope, acceptance and form', () => {
  const source = sourceOf({
    request: asking(`${long('request', 2000)}\n`),
    context: { path: 'c.md', text: long('context', 9000) },
    attachments: [attachment('a.log', long('log', 50_000)), attachment('small.txt', 'small\n')],
    answers: [{ stage: 'codex_brief', role: 'brief', text: long('answer', 9000) }],
    allow: ['src/**'],
    criteria: ['It works.'],
  });
  const { text, digest, parts, leftOut, warnings } = compose(source, 'auto');
  assert.is(digest, 'auto');
  assert.ok(text.length <= 8000 && text.length > 7000, String(text.length));
  for (const whole of [source.request!.text, '\nsmall\n', '- src/**', '- It works.', '`## Plan`'])
    assert.ok(text.includes(whole), whole);
  assert.equal(
    parts.filter((part) => part.kept < part.chars).map((part) => part.name),
    ['context', 'a.log', 'answer of codex_brief'],
  );
  assert.equal(
    leftOut.map(({ what, chars }) => [what, chars]),
    [
      ['attachment a.log', 50_000],
      ['context', 9000],
      ['answer of codex_brief', 9000],
    ],
  );
  assert.equal(warnings, []);
});

test('auto cuts a request only when it has more than three quarters of the room, and says so', () => {
  const { leftOut, warnings } = compose(sourceOf({ request: asking(long('request', 20_000)) }), 'auto');
  assert.equal([leftOut.length, leftOut[0]?.what, leftOut[0]?.chars, warnings], [1, 'request', 20_000, []]);
  assert.ok(leftOut[0]!.kept <= 6000 && leftOut[0]!.kept > 5900, String(leftOut[0]!.kept));
});

test('auto lists attachments of which next to nothing would be left', () => {
  const attachments = Array.from({ length: 50 }, (_, i) => attachment(`${i}.txt`, long('text', 5000)));
  const source = sourceOf({ attachments, context: { path: 'c.md', text: long('context', 9000) } });
  const { text, parts } = compose(source, 'auto');
  assert.match(text, '# Files to read\n\n- in/0.txt (5000 bytes)\n- in/1.txt (5000 bytes)\n');
  assert.ok(text.length <= 8000);
  assert.is(parts.filter((part) => part.kind === 'attachment' && part.kept === 0 && part.chars === 5000).length, 50);
});

test('aggressive keeps goal, non-goals, decisions, scope, acceptance and form, and names the files', () => {
  const source = sourceOf({
    request: asking(REQUEST + long('tail', 5000)),
    context: {
      path: 'inputs/context_pack.md',
      text: `${long('context', 5000)}\n## Constraints\nNode 20.\n## Rest\nno\n`,
    },
    attachments: [attachment('a.log', long('log', 5000))],
    answers: [{ stage: 'codex_impl', role: 'impl', text: long('answer', 9000) }],
    allow: ['src/**'],
    deny: ['vendor/**'],
    forbidden: ['.env'],
    criteria: ['It works.'],
  });
  const { text, digest } = compose(source, 'aggressive');
  assert.is(digest, 'aggressive');
  const headings = [...text.matchAll(/^# (.+)$/gm)].map((match) => match[1]);
  assert.equal(
    headings.filter((heading) => heading !== 'Decisions'),
    [
      'Rules',
      'How to read this',
      'Your part: brief',
      'Goal',
      'Request',
      'Non-goals',
      'Fixed decisions',
      'Files to read',
      'Earlier answers of this task',
      'Allowed scope',
      'Do not change',
      'Acceptance',
      'Your answer',
    ],
  );
  assert.match(
    text,
    'non-goals, from the request =====\n## 1. Non-Goals:\nNo rewrite.\n\n### But\nnot this either\n=====',
  );
  assert.match(text, 'from the request =====\n**Fixed decisions**\n-------------------\nLines are split by \\n.\n');
  assert.match(text, 'fixed decisions, from the context =====\n## Constraints\nNode 20.\n=====');
  assert.match(text, '- inputs/user_request.md\n- inputs/context_pack.md\n- in/a.log (5000 bytes)\n');
  assert.not.match(text, 'log log');
  assert.not.match(text, 'context context');
});

test('what is cut is never longer than its room, and the figures add up', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '😀', ' '), maxLength: 2000 });
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 100, max: 1500 }),
      fc.constantFrom('head' as const, 'tail' as const),
      (all, max, lean) => {
        const once = shorten(wholeText(all), max, lean);
        for (const { head, tail, omitted } of [once, shorten(once, 100, lean)]) {
          assert.ok(all.startsWith(head) && (omitted === null ? tail === '' : all.endsWith(tail)));
          const between = all.slice(head.length, all.length - tail.length);
          assert.equal(omitted ?? { lines: 0, chars: 0 }, {
            lines: between.split('\n').length - 1,
            chars: between.length,
          });
          assert.not.match(head + tail, /\p{Surrogate}/u);
        }
      },
    ),
  );
});

test('aggressive is short for any sources', () => {
  const many = Array.from({ length: 1000 }, (_, i) => attachment(`${i}.txt`, long('text', 1000)));
  const answers = Array.from({ length: 5 }, (_, i) => ({
    stage: `s${i}`,
    role: 'review',
    text: long('answer', 90_000),
  }));
  const source = sourceOf({ request: asking(long('request', 90_000)), attachments: many, answers });
  const { text } = compose(source, 'aggressive');
  assert.ok(text.length < 14_000, String(text.length));
  assert.match(text, /- \.\.\. and \d+ more\n/);
  assert.is(kept(source, 'aggressive', 'answer').length, 5);
});

const globs = (count: number, folder: string) => Array.from({ length: count }, (_, i) => `${folder}/part-${i}/**`);

for (const digest of ['auto', 'aggressive'] as const)
  test(`${digest} begins long lists, and says who answers for the rest`, () => {
    const source = sourceOf(
      {
        goal: long('goal', 3000),
        allow: globs(400, 'src'),
        deny: globs(400, 'vendor'),
        forbidden: globs(41, 'keys'),
        commands: Array.from({ length: 50 }, (_, i) => `test ${i}`),
        criteria: Array.from({ length: 45 }, (_, i) => `Criterion ${i}.`),
      },
      { role: 'impl' },
    );
    const { text, parts, digest: done } = compose(source, digest);
    assert.is(done, digest);
    assert.ok(text.length < 9000, String(text.length));
    for (const [from, to] of [
      ['- src/part-0/**', '- src/part-39/**\n- ... and 360 more; `tollgate scope ask PATH` answers\n'],
      ['- vendor/part-0/**', '- vendor/part-39/**\n- ... and 360 more; `tollgate scope ask PATH` answers\n'],
      ['- keys/part-0/**', '- keys/part-39/**\n- ... and 1 more; `tollgate scope ask PATH` answers\n'],
      ['- `test 0`', '- `test 39`\n- ... and 10 more; they run too\n'],
      ['- Criterion 0.', '- Criterion 44.\n'],
    ])
      assert.ok(text.includes(from!) && text.includes(to!), to);
    const whole = compose(source, 'off');
    for (const { kind, chars, kept } of parts.filter(({ kind }) => kind === 'scope' || kind === 'prohibited')) {
      assert.is(chars, whole.parts.find((part) => part.kind === kind)!.chars);
      assert.ok(kept < chars, kind);
    }
    for (const glob of [...source.allow, ...source.deny]) assert.ok(whole.text.includes(`- ${glob}\n`), glob);
  });

test('aggressive names what it leaves out, and of a context what is kept elsewhere', () => {
  const source = sourceOf({
    context: { path: 'c.md', text: `${'x'.repeat(5000)}\n## Constraints\nNode 20.\n` },
    attachments: [attachment('a.log', 'y'.repeat(5000)), attachment('b.txt', 'z')],
    answers: [{ stage: 'codex_impl', role: 'impl', text: 'w'.repeat(9000) }],
  });
  const words = compose(source, 'aggressive').leftOut.map(omissionWords);
  assert.equal(words, [
    'answer of codex_impl: 3,920 of 9,000 characters',
    'context: 23 of 5,025 characters',
    'attachment a.log: 0 of 5,000 characters',
    'attachment b.txt: 0 of 1 characters',
  ]);
});

test('what is never left out and is too long is not to be sent', () => {
  const { tooLarge } = compose(sourceOf({ goal: long('goal', 9000) }), 'auto');
  assert.equal([tooLarge?.limit, tooLarge!.chars > 9000], [LIMIT, true]);
  assert.is(tooLarge?.why, 'what is never omitted (rules, template, goal, criteria, form) is too long');
});

test('many parts are one sentence: the largest by name, the others counted', () => {
  const attachments = Array.from({ length: 300 }, (_, i) => attachment(`${i}.txt`, 'x'.repeat(1000 + i)));
  const { leftOut } = compose(sourceOf({ attachments }), 'aggressive');
  assert.equal([leftOut.length, leftOut[0]?.what, leftOut.at(-1)?.what], [50, 'attachment 299.txt', '251 more']);
  assert.is(
    omissionSentence(leftOut.slice(0, 4), 2),
    'left out of the prompt: attachment 299.txt: 0 of 1,299 characters; attachment 298.txt: 0 of 1,298 characters; 2 more: 0 of 2,593 characters',
  );
  assert.is(omissionSentence([], 2), null);
  const [{ what }] = omissionsOf([{ kind: 'attachment', name: `${'long/'.repeat(200)}a.ts`, chars: 9, kept: 0 }]) as [
    Omission,
  ];
  assert.equal(
    [what.length <= 200, what.startsWith('attachment long/'), what.endsWith('long/a.ts')],
    [true, true, true],
  );
});

test('a list of few long globs is begun by its characters, and has one line at least', () => {
  const glob = (i: number) => `${'x'.repeat(900)}-${i}/**`;
  const { text } = compose(
    sourceOf({ deny: [0, 1, 2, 3].map(glob), allow: [`${'y'.repeat(3000)}`, 'z'] }),
    'aggressive',
  );
  assert.ok(text.includes(`- ${glob(1)}\n- ... and 2 more; \`tollgate scope ask PATH\` answers`));
  assert.ok(text.includes(`y\n- ... and 1 more; \`tollgate scope ask PATH\` answers`));
});

test.run();
