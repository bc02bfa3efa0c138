// Exports on the disk: their names, what they never overwrite, and the PDF read back: title, bookmarks, pages, and nothing obeyed.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import roboto from 'pdfmake/build/vfs_fonts.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderExport } from '../../../../loops/distill/export/render-export.ts';
import { renderPdf } from '../../../../loops/distill/export/render-pdf.ts';
import { writeExport } from '../../../../loops/distill/export/write-export.ts';
import type { DistilledBook } from '../../../../policies/distill/export/distilled-book.ts';
import { createTypesetter } from '../../../../policies/distill/export/font-runs.ts';
import { pdfDocument } from '../../../../policies/distill/export/pdf-document.ts';
import { temporaryFolder } from '../../../rig/temporary-folder.ts';

const SHA = 'ab'.repeat(32);

const book = (
  texts: readonly string[],
  trace: string[] | null = null,
  name = 'Walden: "Life"/é.epub',
): DistilledBook => ({
  book: { name, sha256: SHA },
  model: 'gemini-2.5-pro',
  prompt: 'prompt.md',
  startedAt: '2026-11-23T09:00:00.000Z',
  finishedAt: null,
  sections: texts.map((text, i) => ({
    number: i + 1,
    title: `Title ${i + 1}`,
    text,
    modelVersion: 'm',
    tokens: 1,
    at: '2026-11-23T10:00:00Z',
  })),
  trace,
});

const place = () => temporaryFolder('export-');

async function written(
  folder: string,
  distilled = book(['# A']),
  format: 'md' | 'txt' | 'pdf' = 'md',
  out: string | null = null,
) {
  return writeExport({ distilled, format, fonts: [], render: renderExport, folder, out });
}

test('named after the book; another export of it takes its place, anything else is left', async () => {
  const folder = place();
  for (const [replaced, text] of [
    [false, '# A'],
    [true, '# B'],
  ] as const)
    assert.equal(await written(folder, book([text])), {
      how: 'done',
      file: path.join(folder, 'Walden- -Life-é.md'),
      bytes: 289,
      replaced,
      notes: [],
    });
  writeFileSync(path.join(folder, 'Walden- -Life-é.txt'), 'mine');
  symlinkSync('/etc/passwd', path.join(folder, 'Walden- -Life-é (2).txt'));
  const third = await written(folder, book(['# A']), 'txt');
  assert.is(third.how === 'done' && path.basename(third.file), 'Walden- -Life-é (3).txt');
  assert.match(
    third.how === 'done' ? third.notes[0]! : '',
    'Walden- -Life-é.txt is there already and is not an export of this book; it is left as it is',
  );
  assert.is(readFileSync(path.join(folder, 'Walden- -Life-é.txt'), 'utf8'), 'mine');
});

test('--out is never overwritten unless it is an export of the book, and a folder is refused', async () => {
  const folder = place();
  const mine = path.join(folder, 'mine.md');
  writeFileSync(mine, 'mine');
  assert.equal(await written(folder, book(['# A']), 'md', mine), {
    how: 'refused',
    why: `--out: ${mine} is a regular file, and no export of this book; nothing is overwritten: name another file`,
  });
  mkdirSync(path.join(folder, 'f'));
  assert.is((await written(folder, book(['# A']), 'md', path.join(folder, 'f'))).how, 'refused');
  const out = path.join(folder, 'new', 'a.pdf');
  for (const replaced of [false, true]) {
    const said = await written(folder, book(['# A']), 'pdf', out);
    assert.is(said.how === 'done' && said.replaced, replaced);
  }
  assert.is(readFileSync(mine, 'utf8'), 'mine');
});

test('an export of the book is known by its form in each format; another file that names the hash is left', async () => {
  const folder = place();
  for (const format of ['md', 'txt', 'pdf'] as const)
    for (const replaced of [false, true]) {
      const said = await written(folder, book(['# A']), format, path.join(folder, `b.${format}`));
      assert.is(said.how === 'done' && said.replaced, replaced, format);
    }
  for (const text of [`{"book_sha256":"${SHA}"}`, `${SHA}  walden.epub\n`, `---\nsha256: "${SHA}"\n---\nmine\n`]) {
    const file = path.join(folder, 'mine');
    writeFileSync(file, text);
    assert.is((await written(folder, book(['# A']), 'md', file)).how, 'refused');
    assert.is(readFileSync(file, 'utf8'), text);
  }
});

test("nothing of the run's own folder is an export but what goes to exports/", async () => {
  const runFolder = place();
  const links = place();
  symlinkSync(runFolder, path.join(links, 'run'));
  const into = (out: string) =>
    writeExport({
      distilled: book(['# A']),
      format: 'md',
      fonts: [],
      render: renderExport,
      folder: links,
      out,
      runFolder,
    });
  for (const out of [
    path.join(runFolder, 'new.md'),
    path.join(runFolder, 'turns/0009.json'),
    path.join(links, 'run/new.md'),
    path.join(runFolder, 'exports'),
  ]) {
    const said = await into(out);
    assert.match(
      said.how === 'refused' ? said.why : '',
      / is in the folder of the distillation itself; name a file elsewhere/,
    );
  }
  assert.equal(readdirSync(runFolder), []);
  assert.is((await into(path.join(runFolder, 'exports/deep/b.md'))).how, 'done');
  assert.is((await into(`${runFolder}-b.md`)).how, 'done');
});

test('a name that is none, and one that is too long', async () => {
  const folder = place();
  await written(folder, book([], null, '../..'));
  await written(folder, book([], null, `${'é'.repeat(300)}.pdf`));
  assert.equal(readdirSync(folder).sort(), ['book.md', `${'é'.repeat(100)}.md`]);
});

const RICH = `# Economy

Text **bold _both_** \`code\` ~~gone~~ [there](https://example.org/a) [bad](javascript:alert(1)) ![pic](file:///etc/passwd)
![](http://127.0.0.1:1/x.png) ![x](data:image/png;base64,AAAA) <img src="file:///etc/passwd"> \u001b[31mred\u001b[0m

- a
  - b
    1. c
- [x] done

> quote

\`\`\`js
let a = 1;
\`\`\`

| a | b |
|---|---|
| 1 | https://example.org/${'long'.repeat(40)} |

## Reading`;

async function pdf(distilled: DistilledBook, fonts: string[] = []): Promise<string> {
  const rendered = await renderPdf(distilled, fonts);
  if (rendered.how === 'refused') throw new Error(rendered.why);
  return Buffer.from(rendered.bytes).toString('latin1');
}

/** The texts of a PDF's dictionaries under that name: a literal, UTF-16 in one, or a reference to one. */
function textsOf(file: string, name: string): string[] {
  return [...file.matchAll(new RegExp(`/${name} (?:(\\d+) 0 R|(\\((?:\\\\.|[^\\\\)])*\\)))`, 'gs'))].map(
    ([, id, literal]) => {
      const text = literal ?? new RegExp(`\\n${id} 0 obj\\n(\\((?:\\\\.|[^\\\\)])*\\))`, 's').exec(file)?.[1] ?? '';
      const raw = text.slice(1, -1).replace(/\\([\s\S])/g, '$1');
      return raw.startsWith('\u00fe\u00ff') ? Buffer.from(raw.slice(2), 'latin1').swap16().toString('utf16le') : raw;
    },
  );
}

const pagesIn = (file: string): number => Number(/\/Type \/Pages\n\/Count (\d+)/.exec(file)?.[1]);

test('a PDF has properties, a bookmark for each section and heading, and pages', async () => {
  const file = await pdf(book([RICH, `No heading of its own.\n\n${'word '.repeat(3000)}`], ['{"turn":1}']));
  assert.ok(file.startsWith('%PDF-') && file.trimEnd().endsWith('%%EOF'));
  assert.equal(textsOf(file, 'Title').sort(), ['2. Title 2', 'Economy', 'Reading', 'Trace', 'Walden: "Life"/é'].sort());
  assert.equal(textsOf(file, 'Keywords'), [SHA]);
  assert.match(file, /\/Outlines \d+ 0 R/);
  assert.ok(pagesIn(file) >= 4, `${pagesIn(file)} pages`);
});

test('each page of a PDF says its number', () => {
  const { footer } = pdfDocument(book(['# A']), createTypesetter([{ name: 'Any', has: () => true }]));
  assert.is((footer as (page: number, pages: number) => { text: string })(2, 7).text, '2 / 7');
});

const ANY = () => createTypesetter([{ name: 'Any', has: () => true }]);
const documentOf = (text: string): string => JSON.stringify(pdfDocument(book([text]), ANY()));

test("a model's text is never obeyed: no picture, no action, no file in the PDF; a click follows web addresses alone", async () => {
  const file = await pdf(book([RICH]));
  assert.not.match(file, /\/(?:JavaScript|JS|Launch|Subtype \/Image|EmbeddedFile|GoToR)/);
  const addresses = [...file.matchAll(/\/URI \(([^)]*)\)/g)].map(([, address]) => address!.slice(0, 20));
  assert.equal([...new Set(addresses)], ['https://example.org/']);
  const shown = documentOf(RICH);
  assert.match(shown, '"link":"https://example.org/a"');
  assert.match(shown, '[picture: pic]');
  assert.not.match(shown, /javascript:|file:|data:|etc\/passwd|127\.0\.0\.1|\\u001b|"(?:image|svg|qr)"/);
});

test('a letter that no font has becomes a box, another character its code; both are reported with section and way out', async () => {
  const rendered = await renderPdf(book(['# A', '# B\n\n漢字 and 😀\ufe0f']), []);
  assert.equal(rendered.how === 'done' && rendered.notes, [
    '3 characters have no glyph in Roboto, DejaVu Sans Mono and are replaced: "漢" (U+6F22), "字" (U+5B57), "😀" (U+1F600) (first in section 2 "Title 2"); --font FILE adds a font',
  ]);
  const typesetter = createTypesetter([{ name: 'Roboto', has: (sign) => sign < 0x500 }]);
  assert.equal(typesetter.runs('漢 ok 😀', 'here'), [{ text: '\u25a1 ok [U+1F600]', font: 'Roboto' }]);
});

test('arrows, boxes and check marks are printed, and nothing is reported', async () => {
  const rendered = await renderPdf(book(['# A → ✓ ☐ ☑ ┌─┐']), []);
  assert.equal(rendered.how === 'done' && rendered.notes, []);
});

test('a font that the user names shows what Roboto lacks; text from right to left is reported with its section', () => {
  const typesetter = createTypesetter([
    { name: 'Roboto', has: (sign) => sign < 0x500 },
    { name: 'Noto', has: () => true },
  ]);
  assert.equal(typesetter.runs('see 漢字, and more', 'here'), [
    { text: 'see ', font: 'Roboto' },
    { text: '漢字', font: 'Noto' },
    { text: ', and more', font: 'Roboto' },
  ]);
  typesetter.runs('one word: שלום', 'here');
  assert.equal(typesetter.notes(), []);
  typesetter.runs('two: שלום עולם', 'section 9');
  assert.equal(typesetter.notes(), [
    'section 9 has text that runs from right to left, and this PDF prints its words from left to right; the export as md or txt keeps their order',
  ]);
});

test('code is set in the font of code, and keeps its spaces', () => {
  const typesetter = createTypesetter([
    { name: 'Text', has: () => true },
    { name: 'Mono', has: () => true },
  ]);
  const shown = JSON.stringify(pdfDocument(book(['# A\n\nUse `x  y`.\n\n```\nif a:\n    b\n```']), typesetter));
  assert.match(shown, '"text":"x  y","font":"Mono"');
  assert.match(shown, '"text":"if a:\\n    b","font":"Mono"');
});

test('columns keep their alignment, and a task its box on its own line', () => {
  const shown = documentOf('# A\n\n|l|c|r|\n|:-|:-:|-:|\n|1|2|3|\n\n- [x] done\n- [ ] open');
  assert.equal(
    [...shown.matchAll(/"alignment":"(left|center|right)"/g)].slice(0, 6).map(([, at]) => at),
    ['left', 'center', 'right', 'left', 'center', 'right'],
  );
  assert.match(shown, /"text":\[\{"text":"☑ ","font":"Any"\},\{"text":"done"/);
  assert.match(shown, /"text":\[\{"text":"☐ ","font":"Any"\},\{"text":"open"/);
});

test('page one has the title once, and no hash', () => {
  const named = (text: string) => JSON.stringify(pdfDocument(book([text], null, 'Walden.epub'), ANY()).content);
  const shown = named('# Walden\n\nText.');
  assert.is(shown.split('"text":"Walden"').length, 2);
  assert.not.match(shown, SHA);
  assert.match(shown, '"outlineText":"Walden"');
  assert.is(named('# Economy\n\nText.').split('"text":"Economy"').length, 2);
});

test('a title that is the first line of its section is printed once, in every format', async () => {
  const folder = place();
  const titled = book(['Title 1\n\nText.', 'Title 2 begins a sentence.']);
  for (const format of ['md', 'txt'] as const) {
    const said = await written(folder, titled, format);
    const text = said.how === 'done' ? readFileSync(said.file, 'utf8') : '';
    assert.is(text.split('Title 1').length, 2, text);
    assert.is(text.split('Title 2').length, 2, text);
    assert.match(text, 'Section 2');
  }
  const shown = JSON.stringify(pdfDocument(titled, ANY()).content);
  assert.is(shown.split('"text":"1. Title 1"').length, 2);
  assert.not.match(shown, '"text":"Title 1"');
});

test('a heading is on the page of the lines that follow it', async () => {
  // Paragraphs of other lengths, so that some heading would be the last line of a page.
  const text = Array.from({ length: 60 }, (_, i) => `## Heading\n\n${'word '.repeat(20 + ((i * 37) % 150))}`).join(
    '\n\n',
  );
  const pages = sizesOfPages(await pdf(book([text])));
  assert.ok(pages.length > 4, `${pages.length} pages`);
  const headings = pages.flat().filter((size) => size === HEADING_SIZE);
  assert.is(headings.length, 60);
  for (const [i, sizes] of pages.entries()) assert.is.not(sizes.at(-1), HEADING_SIZE, `page ${i + 1}`);
});

const [HEADING_SIZE, FOOTER_SIZE] = [15, 8];

/** For each page the font sizes of its texts, from top to bottom, without the footer. */
function sizesOfPages(file: string): number[][] {
  const streams = [...file.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, bytes]) => inflated(bytes!));
  return streams
    .filter((text) => / Tf\n/.test(text))
    .map((text) =>
      [...text.matchAll(/1 0 0 1 [\d.]+ ([\d.]+) Tm\n\/\w+ ([\d.]+) Tf/g)]
        .map(([, y, size]) => ({ y: Number(y), size: Number(size) }))
        .filter(({ size }) => size !== FOOTER_SIZE)
        .sort((a, b) => b.y - a.y)
        .map(({ size }) => size),
    );
}

function inflated(bytes: string): string {
  try {
    return inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1');
  } catch {
    return '';
  }
}

test('--font takes a font, and says what is none', async () => {
  const folder = place();
  const [font, none] = [path.join(folder, 'own.ttf'), path.join(folder, 'none.ttf')];
  writeFileSync(font, Buffer.from(roboto['Roboto-Italic.ttf']!, 'base64'));
  writeFileSync(none, 'no font');
  assert.is((await renderPdf(book(['# A']), [font])).how, 'done');
  assert.equal(
    [await renderPdf(book(['# A']), [none]), await renderPdf(book(['# A']), [path.join(folder, 'gone')])],
    [
      {
        how: 'refused',
        why: `--font: ${none} is not a font that can be read (Unknown font format): TrueType or OpenType`,
      },
      { how: 'refused', why: `--font: ${path.join(folder, 'gone')} is not there` },
    ],
  );
});

test('what is refused leaves no file', async () => {
  const folder = place();
  const request = { distilled: book(['# A']), format: 'pdf', render: renderExport, folder, out: null } as const;
  assert.is((await writeExport({ ...request, fonts: [path.join(folder, 'gone.ttf')] })).how, 'refused');
  assert.equal(readdirSync(folder), []);
});

for (const [what, text] of [
  ['quotes within each other', `${'>'.repeat(20_000)} x`],
  ['lists within each other', Array.from({ length: 100 }, (_, i) => `${' '.repeat(i * 2)}- x`).join('\n')],
  ['a table of many columns', `|${'a|'.repeat(50)}\n|${'-|'.repeat(50)}\n|${'b|'.repeat(50)}`],
  ['a table of many rows', `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(200)}`],
  ['a paragraph without a space', 'x'.repeat(60_000)],
  ['a heading of one word', `# ${'x'.repeat(20_000)}`],
  ['code of one word', `\`\`\`\n${'x'.repeat(20_000)}\n\`\`\``],
  ['brackets that never close', '['.repeat(9000)],
] as const)
  test(`a PDF of what is hard to lay out: ${what}`, async () => {
    assert.ok(pagesIn(await pdf(book([text]))) >= 1);
  });

test.run();
