// Something else in the place of a file of tollgate: each command answers, and says which file it is and what to do; no call is paid twice.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeHuge } from '../rig/huge-file.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig; task: TestTask }>('strange files');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
  context.rig.answer(() => answerWith('codex', 'paid for'));
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(({ rig }) => rig.dispose());

const THINGS = {
  'a FIFO': (file: string) => execFileSync('mkfifo', [file]),
  'a folder': (file: string) => mkdirSync(file),
  'a link to an endless device': (file: string) => symlinkSync('/dev/zero', file),
  'a loop of links': (file: string) => symlinkSync(file, file),
  '3 GB': makeHuge,
} as const;

/** `*` is the call's id, or the name of the tree's queue; FILE the place. */
const ROWS: [place: string, thing: keyof typeof THINGS, argv: string[], code: number, says: string][] = [
  [
    'state/trees/*.jsonl',
    'a FIFO',
    ['run', 'fix', '--redo', 'codex_brief'],
    0,
    'FILE is a FIFO, and no regular file; it cannot be a queue, and was moved to FILE.unreadable-',
  ],
  ['state/trees/*.jsonl', 'a link to an endless device', ['status'], 0, 'fix   done'],
  [
    'state/trees',
    'a FIFO',
    ['run', 'fix', '--redo', 'codex_brief'],
    0,
    'FILE is a FIFO, and no folder; it cannot be a queue, and was moved to FILE.unreadable-',
  ],
  ['state/sessions.json', 'a loop of links', ['run', 'fix', '--dry-run'], 0, 'codex_brief'],
  [
    'state/sessions.json',
    'a FIFO',
    ['sessions', 'list'],
    0,
    'FILE is a FIFO, and no regular file; no session is known',
  ],
  [
    'task/fix/state/stats.json',
    '3 GB',
    ['run', 'fix', '--dry-run'],
    2,
    'FILE has 3221225472 bytes; at most 16777216 are read. Fix it, or delete it: it is rebuilt from the journal.',
  ],
  [
    'task/fix/state/last_failure.json',
    'a link to an endless device',
    ['report'],
    0,
    'FILE is a symbolic link, and no regular file',
  ],
  [
    'task/fix/manifest.json',
    'a loop of links',
    ['run', 'fix'],
    2,
    'FILE is a symbolic link, and no regular file; put it elsewhere, and a manifest in its place',
  ],
  ['task/fix/manifest.json', 'a folder', ['explain', 'fix'], 0, 'fix'],
  ['task/fix/state/attempts/*/record.json', '3 GB', ['report'], 0, 'fix'],
  [
    'task/fix/outputs/codex_brief.gate.json',
    'a FIFO',
    ['run', 'fix', '--redo', 'codex_brief'],
    0,
    'FILE was a FIFO; it was set aside as codex_brief.gate.json.unreadable-',
  ],
  [
    'state/api_errors.log',
    'a FIFO',
    ['report', '--errors'],
    0,
    '1 entry is torn, unreadable or of a newer version, and passed over: FILE, byte 0',
  ],
];

for (const [place, thing, argv, code, says] of ROWS)
  test(`${thing} in the place of ${place}: tollgate ${argv.join(' ')} answers`, async ({ rig, task }) => {
    assert.is((await task.run()).code, 0);
    const file = path.join(rig.project, '.tmp', placeOf(rig, place));
    rmSync(file, { recursive: true, force: true });
    THINGS[thing](file);
    const { code: ended, stdout, stderr } = await rig.run('tollgate', argv);
    assert.is(ended, code, stderr);
    assert.ok(`${stdout}${stderr}`.includes(says.replaceAll('FILE', file)), `${stdout}${stderr}`);
    assert.is(rig.calls.length, argv.includes('--redo') && code === 0 ? 2 : 1);
  });

/** With the one name that stands there in the place of `*`. */
function placeOf(rig: TestRig, place: string): string {
  const [before, behind] = place.split('*');
  if (behind === undefined) return place;
  const [name] = readdirSync(path.join(rig.project, '.tmp', before!));
  return behind.startsWith('/') ? `${before}${name}${behind}` : `${before}${name}`;
}

test.run();
