// Why the program of a described CLI cannot be started: each mistake in its own words, with the way out.

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnTool } from '../../../policies/facts/tools.ts';
import { describedAdapter } from '../../../wrappers/own/described.ts';
import { missingOwn } from '../../../wrappers/own/missing.ts';

const test = suite<{ folder: string }>('a missing program');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'missing-'));
  writeFileSync(path.join(context.folder, 'text'), 'hello');
  symlinkSync('nowhere', path.join(context.folder, 'link'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const STRANGER = describedAdapter('mine' as OwnTool).described!.row;
const OF = '(tools.mine.binary of tollgate.yaml)';

const ROWS: [binary: string, told: string][] = [
  ['./', `/ is a folder: name the program in it ${OF}`],
  ['./none', `/none is not there: put it there, and make it executable (chmod +x) ${OF}`],
  ['./text', `/text is there and may not be executed: chmod +x ${OF}`],
  ['./link', `/link is a link that leads to no program: fix it, or name the program ${OF}`],
  [
    './text --json',
    `/text --json is not there: put it there, and make it executable (chmod +x) ${OF}: it is one program, and the words for it stand in argv`,
  ],
  [
    'python3 ask.py',
    `python3 ask.py is not a program on the PATH ${OF}: it is one program, and the words for it stand in argv`,
  ],
  [
    'my_ask',
    `my_ask is not on the PATH ${OF}: install it, or name its path, such as ./my_ask; an alias or a function of the shell is not a program`,
  ],
  [
    'source',
    `source is a builtin of the shell and no program ${OF}: write a script that uses it, and name that, such as ./mine.sh`,
  ],
];
for (const [binary, told] of ROWS)
  test(binary, ({ folder }) => {
    const place = binary.startsWith('./') ? folder + binary.slice(1).replace(/\/$/, '') : binary;
    const message = missingOwn({ ...STRANGER, binary: place }).replace(folder, '');
    assert.is(message, binary === './' ? told.slice(1) : told);
  });

test.run();
