// Required sections in all the forms in which models write headings.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSections, missingSections } from '../../../policies/gate/required-output.ts';
import { verificationCommands } from '../../../policies/gate/verification-commands.ts';
import { sectionText, withoutSection } from '../../../policies/text/sections.ts';

const NAMES = ['Findings', 'Updated Context Pack'];

const THERE: [what: string, answer: string][] = [
  ['hashes', '# Findings\nx\n###### Updated Context Pack ##\nx'],
  ['hashes without a blank', '##Findings\nx\n##Updated Context Pack\nx'],
  ['wrapped hashes', '## Findings\nx\n## Updated Context\nPack\nx'],
  ['wrapped twice the same way', '## Findings\nx\n## Updated\nContext Pack (short)\nx'],
  ['bold', '**Findings**\nx\n__Updated Context Pack__\nx'],
  ['bold with a colon inside and outside', '**Findings:**\nx\n**Updated Context Pack**:\nx'],
  ['wrapped bold', '**Findings**\nx\n**Updated\nContext Pack**\nx'],
  ['bold, and its text on the same line', '**Findings:** none\n\n**Updated Context Pack** - as it was'],
  ['a colon', 'Findings:\nx\nUpdated Context Pack:\nx'],
  ['a wrapped colon', 'Findings:\nx\n\nUpdated Context\nPack:\nx'],
  ['numbered', '1. Findings\nx\n2) Updated Context Pack\nx'],
  ['wrapped and numbered', '1. Findings\nx\n\n2. Updated Context\n   Pack\nx'],
  ['numbered hashes', '## 1. Findings\nx\n## 2.1 Updated Context Pack\nx\n'],
  ['numbered bold', '**1. Findings**\nx\n2. **Updated Context Pack**\nx'],
  ['letters', '## A. Findings\nx\n## IV) Updated Context Pack\nx'],
  ['underlined', 'Findings\n===\nx\nUpdated Context Pack\n---\nx'],
  ['underlined and wrapped', 'Findings\n===\nx\n\nUpdated Context\nPack\n---\nx'],
  ['another case and punctuation', '## FINDINGS!\nx\n## *updated* `context`-pack\nx'],
  ['a link, an anchor and a sign', '## [Findings](#findings)\nx\n## ✅ Updated Context Pack {#pack}\nx'],
  ['trailing text', '## Findings (3)\nx\n## Updated Context Pack: none'],
  ['the other order', '## Updated Context Pack\nx\n## Findings\nx'],
  ['headings below', '## Findings\n### One\n#### Two\n## Updated Context Pack\n### Files\nx'],
  ['bold lines below', '## Findings\n**One**\n## Updated Context Pack\n1. a'],
  ['headings below a bold one', '**Findings**\n### One\nx\n**Updated Context Pack**\nx'],
  ['a rule below the text', '## Findings\nNone.\n---\n## Updated Context Pack\nNone.\n---'],
  ['code alone', '## Findings\n```\nx\n```\n## Updated Context Pack\n- x'],
  ['the second of two', '1. Findings\n2. Updated Context Pack\n\n## Findings\nx\n## Updated Context Pack\nx'],
  ['CRLF', '## Findings\r\nx\r\n## Updated Context\r\nPack\r\nx\r\n'],
  ['one block of Markdown', '```markdown\n## Findings\nx\n```sh\nls\n```\n## Updated Context Pack\nx\n```\n'],
  [
    'a preamble and a block of Markdown',
    'Here it is:\n\n```markdown\n## Findings\nx\n```sh\nls\n```\n## Updated Context Pack\nx\n```\nBye.',
  ],
  [
    'a preamble and a block without a name',
    'Here:\n```\n## Findings\nx\n## Updated Context Pack\nx\n```\n```ts\ny\n```',
  ],
  ['a mark of byte order', '\ufeff## Findings\nx\n## Updated Context Pack\nx'],
  ['items', '- **Findings**\n  - x\n- **Updated Context Pack:** x'],
  ['a blank that does not break', '##\u00a0Findings\nx\n##\u00a0Updated\u00a0Context\u00a0Pack\nx'],
  ['counted sections', '## Section 1: Findings\nx\n### Step 2 - Updated Context Pack\nx'],
  ['slanted', '*Findings*\nx\n_Updated Context Pack_:\nx'],
  ['a quote', '> ## Findings\n> x\n>\n> ## Updated Context Pack\n> x'],
  ['colours', '\u001b[1;32m## Findings\u001b[0m\nx\n\u001b[1m## Updated Context Pack\u001b[22m\nx'],
  ['one line each', 'Findings: none\nUpdated Context Pack: as it was'],
  ['code that is never closed', 'So:\n```ts\nx\n\n## Findings\nx\n## Updated Context Pack\nx'],
  ['after a block of Markdown that holds one', '## Findings\n```md\n```sh\nls\n```\n```\n## Updated Context Pack\nx'],
];

for (const [what, answer] of THERE)
  test(`there: ${what}`, () => {
    assert.equal(missingSections(answer, NAMES), []);
    // What is handed off stands in no later prompt a second time.
    const rest = withoutSection(answer, 'Updated Context Pack', '(above)');
    assert.equal(rest.match(/\(above\)/g), ['(above)']);
    assert.match(sectionText(rest, 'Updated Context Pack') ?? '', /^\(above\)/);
  });

const MISSING: [what: string, answer: string, missing: string[]][] = [
  ['an empty answer', '', NAMES],
  ['prose that names them', 'The findings and the updated context pack follow.', NAMES],
  ['code', '```sh\n## Findings\nx\n## Updated Context Pack\nx\n```', NAMES],
  ['two blocks', '```\n## Findings\nx\n```\n```\n## Updated Context Pack\nx\n```', NAMES],
  ['remarks', '<!-- a -->\n<!--\n## Findings\nx\n## Updated Context Pack\nx\n-->\n', NAMES],
  ['one of two in a block', 'So:\n```md\n## Findings\nx\n```', ['Updated Context Pack']],
  ['another part of a counted section', '## Section 1 of Findings\nx\n## Updated Context Pack\nx', ['Findings']],
  ['a longer name', '## Findings of others\nx\n## Updated Context Packs\nx', NAMES],
  ['a sentence and a list', 'x Findings: x\n- Updated Context Pack:\n', NAMES],
  ['a half', '## Findings\nx\n## Updated Context\n\nPack\nx', ['Updated Context Pack']],
  ['no text at all', '## Findings\n\n## Updated Context Pack\n', ['Findings (empty)', 'Updated Context Pack (empty)']],
  ['a rule for a text', '## Findings\n---\n- \n## Updated Context Pack\nx', ['Findings (empty)']],
  ['a remark for a text', '## Findings\n<!-- fill in -->\n## Updated Context Pack\nx', ['Findings (empty)']],
  ['another style for what follows', '## Findings\n\n**Updated Context Pack**\nx', ['Findings (empty)']],
  ['a count for a text', '**Findings** (0)\n**Updated Context Pack:**\nx', ['Findings (empty)']],
];

for (const [what, answer, missing] of MISSING)
  test(`missing: ${what}`, () => {
    assert.equal(missingSections(answer, NAMES), missing);
  });

test('names are told in the order of the list, and one that has no letter is not looked for', () => {
  assert.equal(missingSections('## B\nx', ['C', 'B', 'A', '!!!']), ['C', 'A']);
  assert.equal(missingSections('## Test cases\nx', ['Test Cases', 'test-cases', 'Test']), ['Test']);
  assert.equal(missingSections('## 要約\nx\n## Risques & suites\ny', ['要約', 'Risques and suites']), []);
});

test('what is told', () => {
  assert.is(checkSections('## Findings\nnone', ['Findings']), null);
  assert.equal(checkSections('## Findings\n', ['Verdict', 'Findings']), {
    check: 'sections',
    class: 'contract_violation',
    reason: 'missing_sections',
    missing: ['Verdict', 'Findings (empty)'],
    text: 'the answer lacks the sections "Verdict", "Findings (empty)"; its headings are "Findings"',
    next_actions: [],
  });
  const told = (answer: string) => checkSections(answer, ['Verdict'])?.text.split('; ')[1];
  assert.is(told('It is fine.'), 'it has no headings');
  assert.is(told('# Report\n## **Result:** \nx\n**In short**\ny\n'), 'its headings are "Report", "Result", "In short"');
  assert.is(told('```markdown\n## Outcome\nfine\n```'), 'its headings are "Outcome"');
  assert.is(told(`## ${'long '.repeat(30)}\nx`), `its headings are "${'long '.repeat(12)}…"`);
  const many = Array.from({ length: 11 }, (_, i) => `## H${i}\nx\n`).join('');
  assert.is(told(many), 'its headings are "H0", "H1", "H2", "H3", "H4", "H5", "H6", "H7" and 3 more');
});

test('no text and no name throws, and a heading of its own always counts', () => {
  const part = fc.constantFrom('#', '*', '`', '~', '\n', '\r', ' ', '-', '=', '3.', ':', 'Findings', '(', '<!--', 'é');
  const noise = fc.array(fc.oneof(part, fc.string()), { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(noise, fc.array(noise, { maxLength: 4 }), (answer, names) => {
      missingSections(answer, names);
      for (const name of names) {
        sectionText(answer, name, names);
        withoutSection(answer, name, '(above)');
      }
      verificationCommands(answer);
      // Whatever stands before it, if it opens no block of code.
      const plain = answer.replace(/[`~]/g, '');
      assert.equal(missingSections(`${plain}\n\n## Final Word\nx`, ['Final Word']), []);
    }),
    { numRuns: 500 },
  );
});

test('a text of many megabytes is read once', () => {
  const rows = [
    'x'.repeat(1e6),
    '# a\n'.repeat(50_000),
    '**a\n'.repeat(50_000),
    '<!--'.repeat(2e5),
    '```md\n'.repeat(50_000),
  ];
  for (const answer of rows) {
    assert.equal(missingSections(answer, NAMES), NAMES);
    assert.is(sectionText(answer, 'Findings'), null);
  }
  const many = Array.from({ length: 5000 }, (_, i) => `Section ${i}x`);
  assert.equal(missingSections(many.map((name) => `## ${name}\ntext\n`).join(''), many), []);
});

test('the text of a section', () => {
  const rows: [answer: string, text: string | null][] = [
    ['# A\n## Pack\none\n### B\ntwo\n## C\nthree', 'one\n### B\ntwo'],
    ['**Pack**\none\n- two\n**C**\nthree', 'one\n- two'],
    ['## Pack: one\ntwo\n', 'one\ntwo'],
    ['Pack:\none\nFiles:\ntwo\nVerdict:\nthree', 'one\nFiles:\ntwo'],
    ['## Pack\n**Bold**\none\n**Verdict**\ntwo', '**Bold**\none'],
    ['## Pack\n\n## Pack\none', 'one'],
    ['## Pack\n```\n## no heading\n```\n', '```\n## no heading\n```'],
    ['## Pack\n\n', null],
    ['nothing', null],
    ['Here:\n```markdown\n## Pack\none\n## Verdict\ntwo\n```', 'one'],
    ['- **Pack:** one\n- **Verdict**\n', 'one'],
  ];
  for (const [answer, text] of rows) assert.is(sectionText(answer, 'pack', ['Verdict']), text, answer);
});

test('the commands of a brief', () => {
  const section = (text: string) =>
    `## Plan\n\`\`\`sh\nrm -rf /\n\`\`\`\n## Verification Commands\n${text}\n## Rest\n- \`no\``;
  const rows: [text: string, commands: string[]][] = [
    ['```sh\nnpm test\n\n# a remark\nnpm run lint # and so on\n```', ['npm test', 'npm run lint # and so on']],
    ['```console\n$ npm test\n12 passed\n$ ls\n```', ['npm test', 'ls']],
    ['```\nnpm test \\\n  --watch=false\n```', ['npm test  --watch=false']],
    ['First:\n```bash\na\n```\nthen\n```\nb\na\n```', ['a', 'b']],
    [
      '```json\n{}\n```\n- `npm test`: all of them\n2. run `make check`, then `no`\n- nothing',
      ['npm test', 'make check'],
    ],
    ['none', []],
  ];
  for (const [text, commands] of rows) assert.equal(verificationCommands(section(text)), commands, text);
  assert.equal(verificationCommands('```sh\nnpm test\n```'), []);
});

test.run();
