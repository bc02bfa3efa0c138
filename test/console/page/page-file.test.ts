// The page as it is shipped: one small file, that names nothing outside of itself.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const html = readFileSync('dist/console.html', 'utf8');
/** What stands outside of the one script and the one style. */
const around = html.replace(/(<(script|style)>)[\s\S]*?(<\/\2>)/g, '$1$3');

test('compressed it has fewer than 110 kB, and each script that it loads later as little as docs/console.md says', () => {
  const size = gzipSync(html, { level: 9 }).length;
  assert.ok(size > 10_000 && size < 110_000, `${size} bytes`);
  const said = readFileSync('docs/console.md', 'utf8');
  for (const [name, words, most] of [
    ['editor', /An editor \((\d+) kB,/, 116_000],
    ['colours', /colours of code \((\d+) kB,/, 45_000],
  ] as const) {
    const late = gzipSync(readFileSync(`dist/console-${name}.js`), { level: 9 }).length;
    assert.ok(late > 10_000 && late < most, `${name}: ${late} bytes`);
    // Two versions of zlib differ by some bytes.
    assert.ok(Math.abs(late / 1000 - Number(words.exec(said)?.[1])) < 1.5, `${name}: ${late} bytes`);
  }
});

test('it has one script and one style, and neither ends early', () => {
  assert.equal(around.match(/<\/?(?:script|style)\b[^>]*>/g), ['<style>', '</style>', '<script>', '</script>']);
});

test('it asks for no other file, and no element of it has a style or a handler of its own', () => {
  assert.equal(around.match(/\b(?:src|href|style|on\w+)=/g), null);
  assert.equal(html.match(/@import|url\(\s*["']?(?:https?:|\/\/)/g), null);
});

test('none of its sources writes markup by text', () => {
  assert.equal(
    html.match(/dangerouslySetInnerHTML\s*:(?!\w)|\.(?:outerHTML|insertAdjacentHTML)\b|document\.write\(/g),
    null,
  );
});

test.run();
