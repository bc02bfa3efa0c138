// tollgate distill export as it is typed, on a book that the loopback service has distilled.

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type DocumentApi, startDocumentApi } from '../../../rig/document-api.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const KEY = 'test-key-of-the-loopback-service';
const test = suite<{ rig: TestRig; api: DocumentApi }>('tollgate distill export');

test.before.each(async (world) => {
  world.rig = await TestRig.open({ tools: [] });
  world.api = await startDocumentApi({ key: KEY, looks: 0 });
  Object.assign(world.rig.env, { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: world.api.url });
  mkdirSync(path.join(world.rig.project, '.git'));
  world.rig.write('republic.txt', 'The Republic, by Plato.\n');
  world.rig.write('distil.md', 'Distil this book.\n');
  const ran = await world.rig.run('tollgate', ['distill', 'republic.txt', '--prompt', 'distil.md']);
  assert.is(ran.code, 0, ran.stderr);
});
test.after.each(async ({ rig, api }) => {
  await api.close();
  await rig.dispose();
});

const EXPORT = ['distill', 'export', 'republic'];

test('Markdown beside the live document, and once more in its own place', async ({ rig }) => {
  const file = path.join(rig.project, '.tmp/distill/republic/exports/republic.md');
  for (const replaced of [false, true]) {
    const ran = await rig.run('tollgate', [...EXPORT, '--json']);
    assert.is(ran.code, 0, ran.stderr);
    const { bytes, ...said } = JSON.parse(ran.stdout) as Record<string, unknown>;
    assert.equal(said, { schema: 1, name: 'republic', file, sections: 3, replaced, notes: [] });
    assert.is(bytes, readFileSync(file).length);
  }
  const text = readFileSync(file, 'utf8');
  const front = parse(text.split('---\n')[1]!) as Record<string, unknown>;
  assert.equal([front.title, front.sections, front.model], ['republic', 3, 'gemini-2.5-pro']);
  assert.not.match(text, /<end_of_book>/);
});

test('text with the trace, and a PDF, where --out says', async ({ rig }) => {
  const text = await rig.run('tollgate', [...EXPORT, '--format', 'txt', '--trace', '--out', 'r.txt']);
  assert.is(text.code, 0, text.stderr);
  assert.match(readFileSync(path.join(rig.project, 'r.txt'), 'utf8'), /\nTrace\n=====\n+\{/);
  const pdf = await rig.run('tollgate', [...EXPORT, '--format', 'pdf', '--out', 'r.pdf']);
  assert.is(pdf.code, 0, pdf.stderr);
  assert.match(pdf.stdout, /r\.pdf: 3 sections, \d+ bytes\n$/);
  assert.match(readFileSync(path.join(rig.project, 'r.pdf'), 'latin1'), /^%PDF-/);
});

for (const [what, argv, said] of [
  ['a distillation that is not there', ['distill', 'export', 'none'], /there is no distillation "none"/],
  ['a format that is none', [...EXPORT, '--format', 'docx'], /--format/],
  ['a file in the way', [...EXPORT, '--out', 'distil.md'], /distil\.md is a regular file, and no export of this book/],
  ['a font that is none', [...EXPORT, '--format', 'pdf', '--font', 'distil.md'], /distil\.md is not a font/],
] as const)
  test(`exit 2: ${what}`, async ({ rig }) => {
    const ran = await rig.run('tollgate', [...argv]);
    assert.is(ran.code, 2, ran.stderr);
    assert.match(ran.stderr, said);
    assert.is(readFileSync(path.join(rig.project, 'distil.md'), 'utf8'), 'Distil this book.\n');
  });

test.run();
