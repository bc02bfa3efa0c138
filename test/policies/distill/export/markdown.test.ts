// A distilled book as Markdown and as text: whole files compared, and what a model may have written into them.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { BookSection, DistilledBook } from '../../../../policies/distill/export/distilled-book.ts';
import { asMarkdown, tamed } from '../../../../policies/distill/export/markdown.ts';
import { withoutTags } from '../../../../policies/distill/export/markdown-tokens.ts';
import { asPlainText } from '../../../../policies/distill/export/plain-text.ts';

const section = (number: number, text: string, title = `Title ${number}`): BookSection => ({
  number,
  title,
  text,
  modelVersion: 'gemini-2.5-pro-001',
  tokens: 100,
  at: '2026-11-23T10:00:00.000Z',
});

const distilled = (sections: BookSection[], trace: string[] | null = null): DistilledBook => ({
  book: { name: 'Walden: or "Life".epub', sha256: 'ab12' },
  model: 'gemini-2.5-pro',
  prompt: 'prompt.md',
  startedAt: '2026-11-23T09:00:00.000Z',
  finishedAt: '2026-11-23T11:00:00.000Z',
  sections,
  trace,
});

test('a book as Markdown: front matter, the sections in order, a heading where a section has none', () => {
  assert.equal(
    asMarkdown(distilled([section(1, '# Economy\n\nText.\n'), section(2, 'No heading.')])),
    `---
title: "Walden: or \\"Life\\""
book: "Walden: or \\"Life\\".epub"
sha256: "ab12"
model: "gemini-2.5-pro"
answered_by: "gemini-2.5-pro-001"
prompt: "prompt.md"
started: "2026-11-23T09:00:00.000Z"
finished: "2026-11-23T11:00:00.000Z"
sections: 2
tokens: 200
---

# Economy

Text.

## 2. Title 2

No heading.
`,
  );
});

test('a book as text: a header, the sections in order under their titles', () => {
  assert.equal(
    asPlainText({ ...distilled([section(1, '# Economy\n\nText.\n'), section(2, 'No heading.')]), finishedAt: null }),
    `Walden: or "Life"
=================

book:        Walden: or "Life".epub
sha256:      ab12
model:       gemini-2.5-pro
answered by: gemini-2.5-pro-001
prompt:      prompt.md
started:     2026-11-23T09:00:00.000Z
finished:    not yet
sections:    2
tokens:      200


Economy
=======

Text.


2. Title 2
----------

No heading.
`,
  );
});

test('front matter is YAML whatever the names hold', () => {
  const name = '--- a: [b]\n"\u001b[31m#\u202e\\.pdf';
  const text = asMarkdown({ ...distilled([section(1, 'x')]), book: { name, sha256: 'ab' } });
  const front = parse(text.split('---\n')[1]!) as Record<string, unknown>;
  assert.is(front.title, '--- a: [b] "# \\');
  assert.is(front.sections, 1);
});

for (const as of [asMarkdown, asPlainText]) {
  test(`${as.name}: escape codes go, whole ones and cut ones`, () => {
    const text = as(
      distilled([
        section(
          1,
          'a\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u001b\\ \u001b(Bb\u001b',
          'T\u001b[1m',
        ),
      ]),
    );
    assert.match(text, /\nared link b/);
    assert.not.match(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  test(`${as.name}: a block of code that is left open ends with its section`, () => {
    const text = as(distilled([section(1, '# A\n\n````js\nlet a;'), section(2, '# B')]));
    assert.match(text, as === asMarkdown ? /let a;\n````\n\n+# B/ : / {4}let a;\n\n\nB\n=/);
  });

  test(`${as.name}: the trace stands at the end where it was asked for`, () => {
    const text = as(distilled([section(1, '# A')], ['{"turn":1}', '{"text":"```` x"}']));
    assert.ok(text.indexOf('Trace') > text.indexOf('A\n'));
    assert.match(text, '{"turn":1}\n{"text":"```` x"}\n');
  });
}

test('a book as text has no Markdown: headings, lists, tables, code and links as people read them', () => {
  const text = asPlainText(
    distilled([
      section(
        1,
        `# *Economy* of \`x\`

**Bold** and [a link](https://example.org/a), [no link](javascript:alert(1)), ![](p.png) a &amp; b <b>tag</b>

1. one
2. two
   - [x] done
   - [ ] open

> said **once**

| n | amount |
|---|------:|
| a | 1 |
| long | 1,000 |

\`\`\`js
let **a**;
\`\`\`

---`,
      ),
    ]),
  );
  assert.is(
    text.slice(text.indexOf('Economy')),
    `Economy of x
============

Bold and a link (https://example.org/a), no link, [picture] a & b tag

1. one
2. two
   - [x] done
   - [ ] open

  | said once

n     amount
----  ------
a          1
long   1,000

    let **a**;

* * *
`
      .replace('   - [x]', '   [x]')
      .replace('   - [ ]', '   [ ]'),
  );
});

test('the marks around the trace are longer than any within it', () => {
  assert.match(asMarkdown(distilled([], ['{"text":"```` x"}'])), '`````jsonl\n{"text":"```` x"}\n`````\n');
});

test('a text of 1 MB without a line end, and one of escape characters alone, are linear', () => {
  const text = asMarkdown(distilled([section(1, 'x'.repeat(1e6)), section(2, '\u001b]'.repeat(500_000))]));
  assert.ok(text.length > 1e6);
});

for (const [what, text, shown] of [
  ['a picture', 'a ![x](http://evil/p.png) ![y][r]', 'a [picture: x](http://evil/p.png) [picture: y][r]'],
  ['HTML', '<script src="x"> a < b <!-- c --> </b>', '\\<script src="x"> a < b \\<!-- c --> \\</b>'],
  [
    'a link that runs',
    '[x](javascript:alert(1)) [y]( <data:text/html,z> )',
    '[x\\](javascript:alert(1)) [y\\]( \\<data:text/html,z> )',
  ],
  [
    'a link that hides its scheme',
    '[x](java&#115;cript:a) [y](\tFILE:///etc/passwd) [z](\\javascript:b)',
    '[x\\](java&#115;cript:a) [y\\](\tFILE:///etc/passwd) [z\\](\\javascript:b)',
  ],
  [
    'a link over lines, and a definition',
    '[x](\njavascript:a)\n\n[r]: javascript:a\n[s]:\n  data:b',
    '[x\\](\njavascript:a)\n\n[r\\]: javascript:a\n[s\\]:\n  data:b',
  ],
  [
    'links that stay',
    '[a](https://a.org/b_(c)) [b](mailto:a@b.c) [c](#d) [d](kapitel-ä.md "t") [e]() ![f](x.png)\n\n[r]: https://a.org',
    '[a](https://a.org/b_(c)) [b](mailto:a@b.c) [c](#d) [d](kapitel-ä.md "t") [e]() [picture: f](x.png)\n\n[r]: https://a.org',
  ],
  ['what is escaped, and an address', '\\<b> <https://a.org> <x:y>', '\\<b> <https://a.org> \\<x:y>'],
  ['code in a line', 'the `<b>` and ``a ` <i>`` <u>', 'the `<b>` and ``a ` <i>`` \\<u>'],
  ['code over lines', 'a `b\nc` <b> `d', 'a `b\nc` \\<b> `d'],
  ['code over cells', '| `a | b` `<b>` `c| d` |', '| `a | b` `\\<b>` `c| d` |'],
  ['a block of code', '```html\n<b>![x](y)\n````\n<b>', '```html\n<b>![x](y)\n````\n\\<b>'],
  ['a block left open', '~~~\n<b>', '~~~\n<b>\n~~~'],
  ['Markdown in Markdown', '```md\n```js\n```\n<b>', '```md\n```js\n```\n\\<b>'],
  ['a block in a list', '- ```\n  <b>\n  ```\n  <i>', '- \\```\n  \\<b>\n  \\```\n  \\<i>'],
  ['a block that its list ends', '- a\n  ```\n<b>', '- a\n  \\```\n\\<b>'],
] as const)
  test(`Markdown of which a viewer obeys nothing: ${what}`, () => {
    assert.is(tamed(text), shown);
  });

test('an export as Markdown fetches and runs nothing, and keeps its code', () => {
  const text = asMarkdown(
    distilled([section(1, '![x](http://evil/p.png)\n\n```html\n<b>\n```'), section(2, 'b', '<script>')]),
  );
  assert.match(text, '[picture: x](http://evil/p.png)\n\n```html\n<b>\n```\n\n## 2. \\<script>');
});

test('what looks like code again and again is linear', () => {
  for (const part of ['`a', '``` ', '<b', '![', '\\'])
    assert.ok(asMarkdown(distilled([section(1, `<b>${part.repeat(300_000)}`)])).length > 300_000);
});

test('tags and comments are removed from a block of HTML, in one pass', () => {
  assert.is(withoutTags('<b>a</b> <!-- x > y --> 1 < 2'), 'a  1 < 2');
  assert.is(withoutTags('a <!-- b > c'), 'a  c');
  assert.is(withoutTags('a --> b <!-- c > d'), 'a --> b  d');
  for (const endless of ['<', '<a ', '<!--']) {
    const text = endless.repeat(500_000).trim();
    assert.is(withoutTags(text), text);
  }
  assert.is(withoutTags('<!-- >'.repeat(500_000)), '');
});

test.run();
