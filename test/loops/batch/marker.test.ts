// What a done marker says, by what is in it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readVersion, type SaidByMarker, SUCCESS } from '../../../loops/batch/wait-outcome.ts';

const test = suite('marker');
const folder = mkdtempSync(path.join(tmpdir(), 'marker-'));
test.after(() => rmSync(folder, { recursive: true }));

const said = (exitCode: number, errorClass: string | null = null, reason: string | null = null): SaidByMarker => ({
  ...SUCCESS,
  exitCode,
  class: errorClass,
  reason,
});

const ROWS: readonly [text: string, marker: NonNullable<ReturnType<typeof readVersion>>['marker']][] = [
  ['{"exit_code":0,"class":null,"reason":null}\n', said(0)],
  ['{"exit_code":12,"class":"quota","reason":"per_day"}\n', said(12, 'quota', 'per_day')],
  ['{\n  "exit_code": 13\n}', said(13)],
  [
    '{"exit_code":0,"class":null,"reason":null,"call_id":"c1","pid":7,"started_by":[6,5]}',
    { ...said(0), callId: 'c1', pid: 7, startedBy: [6, 5] },
  ],
  ['{"exit_code":1,"call_id":5,"pid":"7","started_by":["x",-1,3]}', { ...said(1), startedBy: [3] }],
  ['{"stage":"gemini_brief"}', said(0)],
  ['0\n', said(0)],
  [' 124 ', said(124)],
  ['-1', said(-1)],
  ['done at 10:04\n', said(0)],
  ['0f3c11d2\n', said(0)],
  ['', { how: 'unfinished', text: '' }],
  [' \n', { how: 'unfinished', text: '' }],
  ['{"exit_code":', { how: 'unfinished', text: '{"exit_code":' }],
];

for (const [text, marker] of ROWS)
  test(`${JSON.stringify(text)} means ${JSON.stringify(marker)}`, () => {
    const file = path.join(folder, 'marker');
    writeFileSync(file, text);
    assert.equal(readVersion(file)?.marker, marker);
  });

test('nothing by that name is no marker, a folder by that name is one without a word', () => {
  assert.is(readVersion(path.join(folder, 'none')), null);
  assert.equal(readVersion(folder)?.marker, { how: 'unfinished', text: '' });
});

test.run();
