// tollgate distill --via with a real CLI: three sections in one session, as the requests that it sends have them.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { epubOf } from '../rig/books.ts';
import { saidIn, within } from './real-task.ts';

/** gemini stops a model that repeats itself. */
const section = (n: number): string =>
  `# Part ${n} ${Array.from({ length: 40 }, (_, i) => `${n}.${i} holds ${(i * 37 + n) ** 3}`).join(', ')}`;

test('gemini: the book once, then Next, each section once', () =>
  within('gemini', async (home, api) => {
    writeFileSync(
      path.join(home.project, 'walden.epub'),
      epubOf({ '1.xhtml': '<h1>Economy</h1><p>When I wrote.</p>' }),
    );
    home.write('distil.md', 'Distil this book.\n');
    api.script([`says=${section(1)}`, `says=${section(2)}`, `says=${section(3)}<end_of_book>`]);
    const argv = [
      'distill',
      'walden.epub',
      '--prompt',
      'distil.md',
      '--via',
      'gemini',
      '--no-check',
      'loop',
      '--trust-workspace',
    ];
    const { code, stderr } = await home.start('tollgate', argv).result;
    assert.is(code, 0, stderr);
    assert.is(api.paid().length, 3);
    const document = readFileSync(path.join(home.project, '.tmp/distill/walden/walden.md'), 'utf8');
    assert.equal(document.match(/^# Part \d/gm), ['# Part 1', '# Part 2', '# Part 3']);
    const said = saidIn(api);
    assert.is(said.split('Distil this book.').length, 2, 'the prompt stands once in the last request');
    for (const n of [1, 2]) assert.ok(said.includes(section(n)), `section ${n} stands in the last request`);
    assert.equal(home.survivors(), []);
  }));

test.run();
