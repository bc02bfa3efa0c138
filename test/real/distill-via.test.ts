// tollgate distill --via with a real CLI: three sections in one session, as the requests that it sends have them.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { epubOf } from '../rig/books.ts';
import { lastHistory, saidIn, within } from './real-task.ts';

const section = (n: number): string => `# Part ${n} ${`thought ${n} of the ${n * 7}th kind `.repeat(20)}`;

test('gemini: the book once, then Next, each section once', () =>
  within('gemini', async (home, api) => {
    home.write('walden.epub', epubOf({ '1.xhtml': '<h1>Economy</h1><p>When I wrote.</p>' }));
    home.write('distil.md', 'Distil this book.\n');
    api.script([`says=${section(1)}`, `says=${section(2)}`, `says=${section(3)}<end_of_book>`]);
    const argv = ['distill', 'walden.epub', '--prompt', 'distil.md', '--via', 'gemini', '--no-check', 'loop'];
    const { code, stderr } = await home.start('tollgate', argv).result;
    assert.is(code, 0, stderr);
    assert.is(api.paid().length, 3);
    const document = readFileSync(path.join(home.project, '.tmp/distill/walden/walden.md'), 'utf8');
    assert.equal(document.match(/^# Part \d/gm), ['# Part 1', '# Part 2', '# Part 3']);
    const said = saidIn(api);
    assert.is(said.split('Distil this book.').length, 2, 'the prompt stands once in the last request');
    assert.ok(said.includes('thought 1 of the 7th kind') && said.includes('thought 2 of the 14th kind'));
    assert.equal(home.survivors(), []);
  }));

test.run();
