// The page as it is shipped: one small file, that names nothing outside of itself.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const html = readFileSync('dist/console.html', 'utf8');
/** What stands outside of the one script and the one style. */
const around = html.replace(/(<(script|style)>)[\s\S]*?(<\/\2>)/g, '$1$3');

test('compressed it has fewer than 100 kB, and with its editor fewer than 200 kB', () => {
  const size = gzipSync(html, { level: 9 }).length;
  assert.ok(size > 10_000 && size < 100_000, `${size} bytes`);
  const editor = gzipSync(readFileSync('dist/console-editor.js'), { level: 9 }).length;
  assert.ok(editor > 10_000 && size + editor < 200_000, `${size} and ${editor} bytes`);
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
