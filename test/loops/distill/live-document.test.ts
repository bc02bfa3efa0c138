// The live document and what else stands in its place: nothing of anybody's is written over.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { appendSection } from '../../../state/distill/live-document.ts';
import { type DistillRig, distillRig, fakeService, sectionText } from '../../rig/book-service.ts';

const TEXT = 'The Republic, by Plato.\n';
const book = (...sections: number[]) => sections.map((section) => `${sectionText(section)}\n\n`).join('');
const textOf = (file: string) => readFileSync(file, 'utf8');

function rigWith(files: Record<string, string>): DistillRig {
  const rig = distillRig();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(rig.folder, name)), { recursive: true });
    writeFileSync(path.join(rig.folder, name), text);
  }
  return rig;
}

/** Begins it with that book and that place. */
const begun = (rig: DistillRig, service: ReturnType<typeof fakeService>, name: string, out: string | null) =>
  rig.run(service, { how: 'book', book: name }, (request) => {
    request.said.out = out;
  });

for (const [what, name, out, said] of [
  ['the book itself', 'republic.md', '.', /republic\.md, which the distillation reads; name another folder/],
  ['the prompt', 'prompt.distilled.txt', '.', /prompt\.distilled\.md, which the distillation reads/],
  ["somebody's file", 'republic.txt', 'o', /o\/republic\.md, and a regular file is there already; move it away/],
  ['a link', 'republic.txt', 'linked', /linked\/republic\.md, and a symbolic link is there already/],
  ['a file for its folder', 'republic.txt', 'f', /f is not a folder; name another place with --out/],
  ['a file above its folder', 'republic.txt', 'f/g', /f is not a folder; name another place with --out/],
] as const)
  test(`a document whose place is taken is refused before anything is written: ${what}`, async () => {
    const files = {
      'republic.md': TEXT,
      'prompt.distilled.txt': TEXT,
      'o/republic.md': 'mine',
      f: 'mine',
      'linked/x': '',
    };
    const rig = rigWith({ ...files, 'prompt.distilled.md': 'Distil this book, section by section.\n' });
    symlinkSync('../f', path.join(rig.folder, 'linked/republic.md'));
    const service = fakeService({ sections: 1 });
    const ended = await rig.run(
      service,
      { how: 'book', book: name, promptFile: name.startsWith('prompt') ? 'prompt.distilled.md' : 'prompt.md' },
      (request) => {
        request.said.out = out;
      },
    );
    assert.is(ended.how, 'invalid');
    assert.match(ended.how === 'invalid' ? ended.message : '', said);
    assert.is(service.uploads, 0);
    for (const [file, text] of Object.entries(files)) assert.is(textOf(path.join(rig.folder, file)), text, file);
    assert.not(existsSync(path.join(rig.folder, '.tmp')));
  });

test('another --out in the middle is looked at too; a run whose folder became a file is given another', async () => {
  const rig = rigWith({ 'o/republic.md': 'mine' });
  await begun(
    rig,
    fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { status: 400 } : null) }),
    'republic.txt',
    'p',
  );
  const resumed = (out: string | null) =>
    rig.run(fakeService({ sections: 2 }), { how: 'resume' }, (request) => {
      request.said.out = out;
    });
  assert.is((await resumed('o')).how, 'invalid');
  assert.is(textOf(path.join(rig.folder, 'o/republic.md')), 'mine');
  assert.is((await resumed(null)).how, 'ended');
  assert.is(textOf(path.join(rig.folder, 'p/republic.md')), book(1, 2));
});

test('a document that is not what we wrote is set aside, and made again', async () => {
  const rig = distillRig();
  await begun(
    rig,
    fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { status: 400 } : null) }),
    'republic.txt',
    'o',
  );
  const file = path.join(rig.folder, 'o/republic.md');
  writeFileSync(file, 'notes of mine');
  await rig.run(fakeService({ sections: 2 }), { how: 'resume' });
  assert.is(textOf(file), book(1, 2));
  const aside = readdirSync(path.dirname(file)).filter((name) => name !== 'republic.md');
  assert.is(aside.length, 1);
  assert.is(textOf(path.join(rig.folder, 'o', aside[0]!)), 'notes of mine');
});

test('what a killed process wrote half of is ours: nothing is set aside', async () => {
  const rig = distillRig();
  await begun(
    rig,
    fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { status: 400 } : null) }),
    'republic.txt',
    'o',
  );
  const file = path.join(rig.folder, 'o/republic.md');
  writeFileSync(file, book(1).slice(0, 40));
  await rig.run(fakeService({ sections: 2 }), { how: 'resume' });
  assert.is(textOf(file), book(1, 2));
  assert.equal(readdirSync(path.dirname(file)), ['republic.md']);
});

test('a book named as a file of tollgate leaves that one alone, and its run is resumed', async () => {
  const rig = rigWith({ 'Prompt.txt': TEXT });
  const service = fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { status: 400 } : null) });
  await begun(rig, service, 'Prompt.txt', null);
  const resumed = await rig.run(fakeService({ sections: 2 }), { how: 'resume', name: 'Prompt' });
  assert.is(resumed.how, 'ended');
  const folder = path.join(rig.folder, '.tmp/distill/Prompt');
  assert.is(textOf(path.join(folder, 'Prompt.distilled.md')), book(1, 2));
  assert.is(textOf(path.join(folder, 'prompt.md')), 'Distil this book, section by section.\n');
});

test('a document of another length than ours is not appended to', () => {
  const { folder } = distillRig();
  const file = path.join(folder, 'document.md');
  const bytes = appendSection(file, 0, 'One.')!;
  writeFileSync(file, 'My words.\n', { flag: 'a' });
  const changed = textOf(file);
  assert.is(appendSection(file, bytes, 'Two.'), null);
  assert.is(textOf(file), changed);
});

test.run();
