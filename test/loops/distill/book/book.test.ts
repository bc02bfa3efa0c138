// What a book is by its bytes, and the words of each refusal; nothing of a refused book is ever sent.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BookFound, lookAtBook } from '../../../../loops/distill/book/book.ts';
import { bookToSend, layOutParts } from '../../../../loops/distill/book/book-text.ts';
import { BOOK_KINDS } from '../../../../policies/distill/book-kinds.ts';
import { epubEntries, epubOf, packedPdf, pdfOf, withZip64End, zipOf } from '../../../rig/books.ts';
import { temporaryFolder } from '../../../rig/temporary-folder.ts';

const messageOf = (found: BookFound): string => (found.how === 'refused' ? found.message : '');

const folder = temporaryFolder('books-');

function given(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const CHAPTERS = {
  '1.xhtml': '<h1>Economy</h1><p>When I wrote.</p>',
  '2.xhtml': '<h1>Where I Lived</h1><p>At a season.</p>',
};

for (const [name, content, kind, title] of [
  ['a.pdf', pdfOf(3), 'pdf', null],
  ['stream.pdf', pdfOf(3, { stream: true }), 'pdf', null],
  ['packed.pdf', packedPdf(), 'pdf', null],
  ['behind.pdf', Buffer.concat([Buffer.from('\n\n'), pdfOf(1), Buffer.alloc(3000)]), 'pdf', null],
  ['a.epub', epubOf(CHAPTERS), 'epub', 'Walden'],
  ['zip64.epub', withZip64End(epubOf(CHAPTERS), {}), 'epub', 'Walden'],
  ['any-name', epubOf(CHAPTERS), 'epub', 'Walden'],
  ['a.txt', 'When I wrote the following pages, é.', 'text', null],
  ['cut.md', `${'x'.repeat(4095)}é and more`, 'text', null],
] as const)
  test(`a book: ${name}`, async () => {
    const found = await lookAtBook(given(name, content));
    assert.equal(
      { ...found, sha256: '' },
      { how: 'book', kind, bytes: Buffer.from(content).length, sha256: '', title },
    );
  });

test('its hash is that of its bytes, and a link is followed', async () => {
  const link = path.join(folder, 'link.txt');
  symlinkSync(given('hash.txt', 'abc'), link);
  const found = await lookAtBook(link);
  assert.is(found.how === 'book' && found.sha256, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

const DECLARED = '<?xml version="1.0" encoding="windows-1252"?>';
const chapterOf = (bytes: Buffer) => zipOf({ ...epubEntries(CHAPTERS), 'OEBPS/text/2.xhtml': bytes });
for (const [what, bytes] of [
  ['UTF-16 with a mark', Buffer.from('\ufeff<p>“é”</p>', 'utf16le')],
  ['UTF-16 by its first signs', Buffer.from('<?xml version="1.0" encoding="utf-16"?><p>“é”</p>', 'utf16le').swap16()],
  ['as it declares', Buffer.from(`${DECLARED}<p>\x93\xe9\x94</p>`, 'latin1')],
  ['UTF-8 with a mark', Buffer.from('\ufeff<p>“é”</p>')],
] as const)
  test(`a chapter's encoding: ${what}`, async () => {
    const sent = await bookToSend(given('encoded.epub', chapterOf(bytes)), 'epub', path.join(folder, 'encoded'));
    assert.match(readFileSync(sent.file, 'utf8'), /I wrote\.\n\n“é”\n\n$/);
  });

const encryption = (uri: string, algorithm: string) =>
  `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`;
const AES = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc';
const entries = epubEntries(CHAPTERS);

for (const [name, content, reason, words] of [
  ['empty.pdf', '', 'empty', 'is empty (0 bytes)'],
  ['blank.txt', ' \n\n', 'empty', 'is a text without a word'],
  ['none.pdf', pdfOf(0), 'empty', 'is a PDF without a page'],
  ['none.epub', epubOf({ '1.xhtml': '<p> </p>' }), 'empty', 'is an EPUB without a word in its chapters'],
  ['a.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'not_a_book', 'is not a book: it is a PNG picture'],
  [
    'page.pdf',
    '<!DOCTYPE html><title>404</title>',
    'not_a_book',
    'is no PDF but a text; is it the page of an error that was saved?',
  ],
  [
    'bytes',
    Buffer.from([1, 2, 3, 0xff]),
    'not_a_book',
    'is not a book: it is neither a PDF, an EPUB nor a text in UTF-8',
  ],
  [
    'utf16.txt',
    Buffer.from('\ufeffabc', 'utf16le'),
    'not_a_book',
    'is not a book: it is a text in UTF-16; save it in UTF-8',
  ],
  [
    'late.txt',
    Buffer.concat([Buffer.from('é'.repeat(100_000)), Buffer.from([0x61, 0xe9, 0x61])]),
    'not_a_book',
    'is not text in UTF-8: its byte 200003 does not fit; save it in UTF-8',
  ],
  [
    'cut.txt',
    Buffer.from(`${'é'.repeat(100_000)}漢`).subarray(0, -1),
    'not_a_book',
    'is not text in UTF-8: its byte 200001 does not fit; save it in UTF-8',
  ],
  ['long-blank.txt', ' \n'.repeat(600_000), 'empty', 'is a text without a word'],
  ['a.docx', zipOf({ 'word/document.xml': '<x/>' }), 'not_a_book', 'is a Word document, and no EPUB'],
  ['a.zip', zipOf({ 'a.txt': 'a' }), 'not_a_book', 'is a zip archive, and no EPUB'],
  [
    'nothing.epub',
    zipOf({ mimetype: 'application/epub+zip' }),
    'not_a_book',
    'is an EPUB that does not say what it holds (no package document)',
  ],
  ['cut.pdf', pdfOf(3).subarray(0, 200), 'truncated', 'is a PDF without its end; it was cut, fetch it again'],
  ['cut.epub', epubOf(CHAPTERS).subarray(0, 500), 'truncated', null],
  [
    'lacks.epub',
    zipOf(without(entries, 'OEBPS/text/2.xhtml')),
    'truncated',
    'lacks OEBPS/text/2.xhtml, which it names as a chapter; it was cut, fetch it again',
  ],
  [
    'key.pdf',
    pdfOf(3, { trailer: '/Encrypt 9 0 R' }),
    'encrypted',
    'is an encrypted PDF, which the service cannot read; save a copy without a password',
  ],
  [
    'key-stream.pdf',
    pdfOf(3, { trailer: '/Encrypt 9 0 R', stream: true }),
    'encrypted',
    'is an encrypted PDF, which the service cannot read; save a copy without a password',
  ],
  [
    'key.epub',
    zipOf({ ...entries, 'META-INF/encryption.xml': encryption('OEBPS/text/2.xhtml', AES) }),
    'encrypted',
    'is encrypted (OEBPS/text/2.xhtml and others are listed in its META-INF/encryption.xml); only a copy without protection can be read',
  ],
  [
    'random.pdf',
    Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(20_000), Buffer.from('\nstartxref\n9\n%%EOF\n')]),
    'not_a_book',
    'has the marks of a PDF, but no page is found in it; open it and save it again',
  ],
  ['zip64-record.epub', withZip64End(epubOf(CHAPTERS), { record: 2n ** 63n }), 'truncated', null],
  ['zip64-directory.epub', withZip64End(epubOf(CHAPTERS), { directory: 2n ** 62n }), 'truncated', null],
  ['zip64-behind.epub', withZip64End(epubOf(CHAPTERS), { directory: 10_000_000n }), 'truncated', null],
  ['pages.pdf', pdfOf(1001), 'too_large', null],
  ['bomb.epub', zipOf(entries, { 'OEBPS/text/1.xhtml': 33 * 1024 * 1024 }), 'too_large', null],
  [
    'lies.epub',
    zipOf({ ...entries, 'OEBPS/text/1.xhtml': 'x'.repeat(1e6) }, { 'OEBPS/text/1.xhtml': 10 }),
    'not_a_book',
    null,
  ],
  [
    'later-lies.epub',
    zipOf({ ...entries, 'OEBPS/text/2.xhtml': 'x'.repeat(1e6) }, { 'OEBPS/text/2.xhtml': 10 }),
    'not_a_book',
    null,
  ],
  [
    'later-bomb.epub',
    zipOf(entries, { 'OEBPS/text/2.xhtml': 33 * 1024 * 1024 }),
    'too_large',
    'unpacks OEBPS/text/2.xhtml to 34603008 bytes; at most 33554432 are read; split it, and distil its parts',
  ],
  [
    'latin.epub',
    chapterOf(Buffer.from('<p>\xe9t\xe9</p>', 'latin1')),
    'not_a_book',
    'holds OEBPS/text/2.xhtml, which is to be utf-8 and is not; save it in UTF-8',
  ],
  [
    'unknown.epub',
    chapterOf(Buffer.from('<?xml version="1.0" encoding="x-none"?><p>a</p>')),
    'not_a_book',
    'holds OEBPS/text/2.xhtml in the encoding "x-none", which cannot be read here; save it in UTF-8',
  ],
  [
    'deep.epub',
    chapterOf(Buffer.from('<b>'.repeat(2000))),
    'too_large',
    'nests the tags of OEBPS/text/2.xhtml more than 1000 deep; split it, and distil its parts',
  ],
  [
    'long.epub',
    zipOf(epubEntries({ '1.xhtml': `${'<blockquote>'.repeat(8)}<p>${'a<br/>'.repeat(4_000_000)}` })),
    'too_large',
    'holds more than 67108864 bytes of text; split it, and distil its parts',
  ],
  [
    'leaves.epub',
    zipOf({ ...entries, '../../etc/passwd': 'x' }),
    'not_a_book',
    'is a broken archive (invalid relative path: ../../etc/passwd)',
  ],
] as const)
  test(`refused: ${name}`, async () => {
    const file = given(name, content);
    const found = await lookAtBook(file);
    assert.is(found.how === 'refused' && found.reason, reason);
    if (words !== null) assert.is(messageOf(found), `${file} ${words}`);
  });

function without(all: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
}

test('obfuscated fonts do not make a book an encrypted one', async () => {
  const font = encryption('OEBPS/a.otf', 'http://www.idpf.org/2008/embedding');
  const found = await lookAtBook(given('font.epub', zipOf({ ...entries, 'META-INF/encryption.xml': font })));
  assert.is(found.how, 'book');
});

test('refused: too large for the service, with its limit, where that is written, and the way out', async () => {
  const file = given('large.pdf', pdfOf(3));
  const found = await lookAtBook(file, { ...BOOK_KINDS, pdf: { ...BOOK_KINDS.pdf, maxBytes: 100 } });
  assert.match(
    messageOf(found),
    /large\.pdf is a PDF of \d+ bytes; the service takes 100 \(https:.*, seen 2026-11-23\); split it, and distil its parts$/,
  );
});

test('refused: a folder, and what is not there', async () => {
  mkdirSync(path.join(folder, 'folder.epub'));
  const messages = await Promise.all(['folder.epub', 'none.pdf-'].map((name) => lookAtBook(path.join(folder, name))));
  assert.equal(
    messages.map((found) => found.how === 'refused' && [found.reason, found.message.replace(folder, '')]),
    [
      ['unreadable', "/folder.epub is a folder, and no regular file; name a book's file"],
      ['unreadable', '/none.pdf- is not there'],
    ],
  );
});

test('an EPUB is sent as its text, and that is said; a PDF is sent as it is', async () => {
  const out = path.join(folder, 'run');
  const sent = await bookToSend(given('b.epub', epubOf(CHAPTERS)), 'epub', out);
  assert.is(readFileSync(sent.file, 'utf8'), '# Economy\n\nWhen I wrote.\n\n# Where I Lived\n\nAt a season.\n\n');
  assert.equal([sent.file, sent.mimeType], [path.join(out, 'book.txt'), 'text/plain']);
  assert.match(sent.note!, `documents PDF and text, and no EPUB: its text is sent (${statSync(sent.file).size} bytes`);
  const pdf = given('b.pdf', pdfOf(1));
  assert.equal(await bookToSend(pdf, 'pdf', out), { file: pdf, mimeType: 'application/pdf', note: null });
});

test('for a CLI the text lies in parts that it shows whole: no line and no file too long, nothing lost', async () => {
  const words = Array.from({ length: 40_000 }, (_, i) => `word${i}`);
  const file = given('long.txt', `${words.slice(0, 20_000).join(' ')}\n${words.slice(20_000).join('\n')}`);
  const parts = await layOutParts(file, 'text', path.join(folder, 'parts'));
  const texts = parts.map((part) => readFileSync(part, 'utf8'));
  assert.ok(texts.length > 10);
  assert.ok(
    texts.every((text) => text.split('\n').length <= 2000 && text.split('\n').every((line) => line.length <= 2000)),
  );
  assert.ok(texts.join(' ').split(/\s+/).filter(Boolean).join(' ') === words.join(' '));
});

test.run();
