// A task's state that a crash, a loss of power, a person or a newer version left strange: nothing is lost, and each is told.

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { statsOf } from '../../../state/journal/stats.ts';
import { faultEnv, faultShim } from '../../rig/fault-shim.ts';
import { makeHuge } from '../../rig/huge-file.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; task: TestTask }>('strange state');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
  context.rig.answer(() => answerWith('codex', 'paid for'));
  context.rig.write('ask.md', 'x');
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(({ rig }) => rig.dispose());

const COMMANDS: [command: string, argv: string[], code: number][] = [
  ['tollgate', ['run', 'fix'], 2],
  ['tollgate', ['run', 'fix', '--dry-run'], 2],
  ['tollgate', ['batch', 'fix'], 2],
  ['tollgate', ['budget', 'fix'], 2],
  ['tollgate', ['budget', 'fix', '--set', '5'], 2],
  ['tollgate', ['explain', 'fix'], 2],
  // These look at many, and tell of the one.
  ['tollgate', ['report'], 0],
  ['tollgate', ['wait', '--timeout-ms=20000', 'fix'], 1],
  ['tollgate', ['archive', 'fix'], 1],
  ['run_codex', ['--prompt-file=ask.md', '--out=o', '--err=e', '--task=fix'], 2],
];

const NEWER = '{"v":9,"at":"2030-01-01T00:00:00Z","fact":"budget","calls":3}\n';
const noFile = (kind: string) =>
  `is ${kind}, and no regular file; a journal is never that: put it elsewhere, and the journal back in its place`;
const JOURNALS: [kind: string, make: (file: string, rig: TestRig) => void, words: string][] = [
  [
    'of a newer version',
    (file) => writeFileSync(file, NEWER),
    'was written by a newer version (format 9, this one reads 1): update tollgate; nothing was changed',
  ],
  ['that is a folder', (file) => mkdirSync(file), noFile('a folder')],
  ['that is a link', (file, rig) => symlinkSync(rig.write('elsewhere', ''), file), noFile('a symbolic link')],
  ['that is a FIFO', (file) => spawnSync('mkfifo', [file]), noFile('a FIFO')],
  [
    'of 3 GB',
    makeHuge,
    'has 3221225472 bytes; at most 67108864 are read; a journal is never that: put it elsewhere, and the journal back in its place',
  ],
];

for (const [kind, make, words] of JOURNALS)
  test(`a journal ${kind} is refused by every command, and left as it is`, async ({ rig, task }) => {
    const file = path.join(task.folder, 'state/journal.jsonl');
    mkdirSync(path.dirname(file));
    make(file, rig);
    const before = lstatSync(file);
    for (const [command, argv, code] of COMMANDS) {
      const ran = await rig.run(command, argv);
      const name = `${command} ${argv.join(' ')}`;
      assert.equal([name, ran.code, rig.calls.length], [name, code, 0]);
      assert.ok(`${ran.stdout}${ran.stderr}`.includes(`${file} ${words}`), `${name}: ${ran.stdout}${ran.stderr}`);
    }
    const { ino, size, mtimeMs } = lstatSync(file);
    assert.equal([ino, size, mtimeMs], [before.ino, before.size, before.mtimeMs]);
    assert.ok(
      !existsSync(path.join(rig.project, 'elsewhere')) ||
        readFileSync(path.join(rig.project, 'elsewhere')).length === 0,
    );
  });

const TAILS: [name: string, bytes: Buffer | string][] = [
  ['half a line', '{"v":1,"at":"2026'],
  ['a block of NUL bytes', Buffer.alloc(512)],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0xc3, 0x28, 0x0a, 0x7b])],
  ['half a character', Buffer.from('{"v":1,"fact":"é').subarray(0, -1)],
  ['a line of another program', 'killed\r\n'],
];

for (const [name, bytes] of TAILS)
  test(`${name} at the end of the journal takes nothing away`, async ({ rig, task }) => {
    assert.is((await task.run()).code, 0);
    appendFileSync(task.journal.file, bytes);
    const { code, report } = await task.run('--redo', 'codex_brief');
    assert.equal([code, rig.calls.length, report.budget.used], [0, 2, 2]);
    assert.match(report.notes.join('\n'), /the journal has \d unreadable lines? .*they are ignored/);
    const { ledger, offset } = task.journal.read();
    assert.equal([ledger.run, ledger.done.size], [null, 1]);
    assert.equal(JSON.parse(task.read('state/stats.json')), statsOf(ledger, offset));
  });

const VIEWS: [name: string, spoil: (folder: string) => void, code: number, words: RegExp][] = [
  [
    'all views deleted',
    (folder) => {
      for (const file of ['state/stats.json', 'outputs/_summary.md']) rmSync(path.join(folder, file));
    },
    0,
    /^/,
  ],
  ['stats.json emptied', (folder) => truncateSync(path.join(folder, 'state/stats.json')), 0, /^/],
  [
    'stats.json as a loss of power leaves it',
    (folder) => writeFileSync(path.join(folder, 'state/stats.json'), Buffer.alloc(300)),
    0,
    /^/,
  ],
  [
    'stats.json cut',
    (folder) => truncateSync(path.join(folder, 'state/stats.json'), 20),
    2,
    /stats\.json is not a JSON object; it was moved to .*unreadable-.* Run again to continue with the journal's own count/,
  ],
  ['_summary.md emptied', (folder) => truncateSync(path.join(folder, 'outputs/_summary.md')), 0, /^/],
  [
    'last_failure.json cut',
    (folder) => writeFileSync(path.join(folder, 'state/last_failure.json'), '{"schema"'),
    0,
    /^/,
  ],
  ['a marker emptied', (folder) => truncateSync(path.join(folder, 'done/codex_brief.done')), 0, /^/],
  ['a marker deleted', (folder) => rmSync(path.join(folder, 'done/codex_brief.done')), 0, /^/],
];

for (const [name, spoil, code, words] of VIEWS)
  test(`${name}: told, made anew, and nothing is paid again`, async ({ rig, task }) => {
    assert.is((await task.run()).code, 0);
    spoil(task.folder);
    const first = await task.run();
    assert.is(first.code, code, first.said);
    assert.match(first.said, words);
    const { report, summary } = code === 0 ? { ...first } : await task.run();
    assert.equal([rig.calls.length, report.budget.used, report.state], [1, 1, 'done']);
    assert.match(summary, 'codex_brief');
    const { ledger, offset } = task.journal.read();
    assert.equal(JSON.parse(task.read('state/stats.json')), statsOf(ledger, offset));
  });

const can = faultShim() === null ? test.skip : test;
if (faultShim() === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');
const ON_NFS =
  'is on a network file system (NFS), where paid calls cannot be counted; nothing was started. Point TOLLGATE_STATE at a folder on a local disk, and have the task there';

for (const [script, command, argv] of [
  ['tollgate.cjs', 'tollgate', ['run', 'fix']],
  ['tollgate.cjs', 'tollgate', ['batch', 'fix']],
  ['run_codex.cjs', 'run_codex', ['--prompt-file=ask.md', '--out=o', '--err=e', '--task=fix']],
] as const)
  can(`${command} ${argv[0]} on a network file system costs nothing`, async ({ rig, task }) => {
    const { code, stderr } = await rig.start(command, [...argv], { env: faultEnv({ in: script, statfs: 0x6969 }) })
      .result;
    assert.ok(stderr.includes(`${task.folder} ${ON_NFS}`), stderr);
    assert.equal([code, rig.calls.length, existsSync(task.journal.file)], [2, 0, false]);
  });

test.run();
