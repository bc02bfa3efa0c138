// A chapter's markup as text: what is read stays in order, what is not read goes, and nothing is expanded.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readChapter } from '../../../../policies/distill/epub/chapter-text.ts';
import { encryptedPaths, packagePath, readPackage } from '../../../../policies/distill/epub/package-document.ts';

/** Cut at every place, as an archive may hand it on. */
function textOf(body: string, pieces = 1): string {
  const blocks: string[] = [];
  const sink = readChapter((block) => void blocks.push(block));
  const page = `<?xml version="1.0"?><html><head><title/><style>p {}</style></head><body>${body}</body></html>`;
  for (let at = 0; at < page.length; at += Math.ceil(page.length / pieces))
    sink.write(page.slice(at, at + Math.ceil(page.length / pieces)));
  sink.end();
  return blocks.join('\n\n');
}

for (const [what, body, text] of [
  [
    'headings and paragraphs',
    '<h1>One</h1>\n<p>A\n  line <b>and</b> <i>more</i>.</p><h3>Two</h3>',
    '# One\n\nA line and more.\n\n### Two',
  ],
  ['an empty title and a script do not swallow the rest', '<script src="x"/><p>a</p><a id="b"/><p>b</p>', 'a\n\nb'],
  ['lists', '<ul><li>a</li><li><p>b</p><ol><li>c</li><li>d</li></ol></li></ul>', '- a\n\n- b\n\n  1. c\n\n  2. d'],
  ['items of no list', '<li>a</li><ul><li></ul>b', '- a\n\n- b'],
  [
    'lists within lists within bounds',
    `${'<ul><li>a'.repeat(100)}</body>`,
    Array.from({ length: 100 }, (_, i) => `${'  '.repeat(Math.min(i, 7))}- a`).join('\n\n'),
  ],
  ['quotes', '<blockquote><p>a<br/>b</p></blockquote>', '> a\n> b'],
  ['code keeps its lines', '<pre>a\n  b\n</pre>', 'a\n  b'],
  ['tables', '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>', 'a | b |\n\n1 | 2 |'],
  [
    'pictures by what they are said to show',
    '<p><img src="../../etc/passwd" alt="A  map"/><img src="x"/></p>',
    '[picture: A map]',
  ],
  ['entities, and soft hyphens', '<p>&amp;&nbsp;&eacute;&#233;co&shy;nomy</p>', '& ééconomy'],
  ['what is not read', '<style>x</style><svg><text>y</text></svg><p>a</p>', 'a'],
  ['text outside of blocks', 'a<div>b</div>c', 'a\n\nb\n\nc'],
  ['broken markup', '<p>a<p>b</div></p>', 'a\n\nb'],
] as const)
  test(`as text: ${what}`, () => {
    assert.is(textOf(body), text);
    assert.is(textOf(body, body.length), text, 'in pieces of a few characters');
  });

/** Each takes minutes where an end or a stack is searched at each step. */
for (const [what, body, chars] of [
  ['many tags in one block', `<p>${'aaaaaaaaaa<i>b</i>'.repeat(200_000)}`, 2_200_000],
  ['spaces in code', `<pre>a${' '.repeat(2_000_000)}b${' '.repeat(2_000_000)}</pre>`, null],
  ['line breaks', `<p>${'a <br/> '.repeat(200_000)}`, null],
  ['cells', `<table><tr>${'<td>a</td>'.repeat(200_000)}`, null],
] as const)
  test(`a long chapter is linear: ${what}`, () => {
    const text = textOf(body, 100);
    if (chars !== null) assert.is(text.replaceAll(/\s/g, '').length, chars);
    assert.ok(text.split('\n\n').every((block) => block.length <= 256 * 1024));
  });

test('tags that are never closed are refused before the parser is slow with them', () => {
  assert.throws(() => textOf('<b>'.repeat(1_000_000), 100), /more than 1000 deep/);
  assert.is(textOf('<p><b>a</b></p>'.repeat(2000)).length, 2000 * 3 - 2);
});

test('entities that a chapter or a package makes for itself are not expanded', () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
  assert.not.match(textOf(`${bomb}<p>&b;&c;</p>`), /aaaa|root:/);
  const { title } = readPackage(`${bomb}<package><metadata><dc:title>x&b;&c;</dc:title></metadata></package>`, 'a.opf');
  assert.not.match(title!, /aaaa|root:/);
});

test('the package document: where it is, its title, its chapters in reading order', () => {
  assert.is(packagePath('<container><rootfiles><rootfile full-path="a/b.opf"/></rootfiles></container>'), 'a/b.opf');
  assert.is(packagePath('no markup'), null);
  const document = `<opf:package xmlns:opf="x"><opf:metadata><dc:title> A
    book </dc:title><dc:title>Another</dc:title></opf:metadata><opf:manifest><opf:item id="1" href="one%20.xhtml#x"/>
    <opf:item id="2" href="../two.xhtml"/><opf:item id="n" href="nav.xhtml"/><opf:item id="o" href="../../out.xhtml"/>
    <opf:item id="h" href="http://127.0.0.1/x"/></opf:manifest><opf:spine><opf:itemref idref="2"/><opf:itemref idref="n" linear="no"/>
    <opf:itemref idref="1"/><opf:itemref idref="o"/><opf:itemref idref="h"/><opf:itemref idref="none"/></opf:spine></opf:package>`;
  assert.equal(readPackage(document, 'a/b.opf'), { title: 'A book', chapters: ['two.xhtml', 'a/one .xhtml'] });
});

test('what is encrypted: obfuscated fonts are not', () => {
  const data = (algorithm: string, uri: string) =>
    `<enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData>`;
  assert.equal(
    encryptedPaths(
      `<encryption>${data('http://www.idpf.org/2008/embedding', 'a.otf')}${data('http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'b%20c.xhtml')}</encryption>`,
    ),
    ['b c.xhtml'],
  );
});

test.run();
