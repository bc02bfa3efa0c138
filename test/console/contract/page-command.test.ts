// Which suggested commands a button of the page may run, and which can only be copied.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageCommand } from '../../../console/contract/page-command.ts';

const test = suite('commands of the page');

for (const [line, words, continues] of [
  ['tollgate run fix', ['run', 'fix'], 'fix'],
  ['npx tollgate run fix --redo codex_brief --keep=a', ['run', 'fix', '--redo=codex_brief', '--keep=a'], 'fix'],
  ['tollgate run fix --recheck', ['run', 'fix', '--recheck'], 'fix'],
  ['tollgate supervise fix --trust-workspace', ['supervise', 'fix'], 'fix'],
  ['tollgate supervise --resume 0199-ab --trust-workspace', ['supervise', '0199-ab'], '0199-ab'],
  ['tollgate supervise --resume=fix', ['supervise', 'fix'], 'fix'],
  ['tollgate distill resume emerson --max-calls 32', ['distill resume', 'emerson', '--max-calls=32'], null],
  ['tollgate distill resume emerson --max-usd 0.75', ['distill resume', 'emerson', '--max-usd=0.75'], null],
  ['tollgate distill resume emerson --accept', ['distill resume', 'emerson', '--accept'], null],
  ['tollgate budget fix --set 20', ['budget', 'fix', '--set=20'], null],
  ['tollgate undo 0199-ab --redo=2', ['undo', '0199-ab', '--redo=2'], null],
  ['tollgate recover 0199-ab --choose=rollback', ['recover', '0199-ab', '--choose=rollback'], null],
] as const)
  test(`a button runs: ${line}`, () => {
    const command = pageCommand(line);
    assert.equal([command?.words, command?.continues], [words, continues]);
  });

for (const line of [
  'run fix',
  'tollgate',
  'tollgate run',
  'tollgate run fix other',
  'tollgate run ../fix',
  "tollgate run 'a b'",
  'tollgate run fix --redo',
  'tollgate run fix --redo=$(id)',
  'tollgate run fix --redo -x',
  'tollgate run fix --recheck=yes',
  'tollgate run fix --keep-raw',
  'tollgate run fix --force',
  'tollgate supervise --resume',
  'tollgate supervise --resume ../fix',
  'tollgate supervise fix --resume 0199-ab',
  'tollgate run --resume fix',
  'tollgate run fix; id',
  'tollgate run fix\n--recheck',
  'tollgate distill resume',
  'tollgate distill resume ../emerson',
  'tollgate distill resume emerson --force',
  'tollgate distill resume emerson --max-usd -1',
  'tollgate distill book.pdf',
  'tollgate budget fix',
  'tollgate budget fix --set -1',
  'tollgate budget --per day --set 1',
  'tollgate recover 0199-ab',
  'tollgate preflight --sweep',
  'tollgate toString fix',
  'tollgate run fix --constructor',
  'codex login',
  'tollgate tollgate run fix',
])
  test(`only copied: ${JSON.stringify(line)}`, () => assert.is(pageCommand(line), null));

test.run();
