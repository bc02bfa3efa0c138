// Counts the words of a private language that standard technical English does not use, so that they do not come back.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const WORDS = /\b(?:told|left|asked|stands|stood|nobody|somebody|whoever|anew|mend|mended|lies)\b/gi;

const SOURCES = ['bin', 'wrappers', 'policies', 'state', 'loops', 'console', 'library', 'preflight.ts'];
const DOCS = ['README.md', 'ARCHITECTURE.md', 'docs', 'skills'];

/** Some remain: fields of JSON that other programs read, texts of the CLIs, and "left" of a style sheet. */
for (const [what, places, most] of [
  ['sources', SOURCES, 300],
  ['documentation', DOCS, 60],
] as const)
  test(`the ${what} hold at most ${most} of the listed words`, () => {
    const found = places.flatMap(filesIn).flatMap((file) => {
      const words = readFileSync(file, 'latin1').match(WORDS) ?? [];
      return words.length === 0 ? [] : [{ file, words: words.length }];
    });
    const total = found.reduce((sum, { words }) => sum + words, 0);
    const worst = found.sort((a, b) => b.words - a.words).slice(0, 10);
    assert.ok(total <= most, `${total} words, most of them in ${worst.map(({ file, words }) => `${file} (${words})`)}`);
  });

function filesIn(place: string): string[] {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|cjs|md|json|svg)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

test.run();
