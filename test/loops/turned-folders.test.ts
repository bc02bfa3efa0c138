// An agent that turns a folder of its task elsewhere in the middle of its call: nothing is written there, and its answer counts.

import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig; task: TestTask; outside: string }>('turned folders');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.outside = path.join(context.rig.root, 'outside');
  mkdirSync(context.outside);
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(({ rig }) => rig.dispose());

type Turn = (place: string, outside: string) => void;
const TURNS: Record<string, Turn> = {
  'moved away behind a link': (place, outside) => {
    renameSync(place, path.join(outside, 'moved'));
    symlinkSync(path.join(outside, 'moved'), place);
  },
  'a link to another folder': (place, outside) => {
    renameSync(place, `${place}.gone`);
    symlinkSync(outside, place);
  },
  'a link to nothing': (place) => {
    renameSync(place, `${place}.gone`);
    symlinkSync('/nowhere/at/all', place);
  },
  'a FIFO': (place) => {
    renameSync(place, `${place}.gone`);
    execFileSync('mkfifo', [place]);
  },
  'a file': (place) => {
    renameSync(place, `${place}.gone`);
    writeFileSync(place, 'in the way');
  },
};

const ROWS: [folder: string, turns: (keyof typeof TURNS)[]][] = [
  ['outputs', Object.keys(TURNS)],
  ['done', ['a link to another folder', 'a FIFO']],
  ['state', ['moved away behind a link']],
  ['state/attempts', ['moved away behind a link', 'a link to another folder']],
  ['.', ['moved away behind a link']],
];
for (const [folder, turns] of ROWS)
  for (const how of turns)
    test(`${folder} becomes ${how}`, async ({ rig, task, outside }) => {
      const place = path.resolve(task.folder, folder);
      rig.answer(() => {
        mkdirSync(place, { recursive: true });
        TURNS[how]!(place, outside);
        return answerWith('codex', 'paid for');
      });
      const { code, report } = await task.run();
      const said = report.stages.flatMap((stage) => stage.warnings ?? []).join('\n');
      assert.equal([task.read('outputs/codex_brief.codex.out'), readdirSync(outside)], ['paid for', []], said);
      assert.match(said, `${place} had become`);
      // With the attempts goes what the judge kept there: then a person is asked to look, and nothing is paid again.
      assert.is(code, folder === 'state/attempts' && how === 'a link to another folder' ? 1 : 0);
      assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
    });

test('a call whose agent removes .tmp, as git clean does, still has its answer and its files', async ({ rig }) => {
  rig.answer(() => {
    rmSync(path.join(rig.project, '.tmp'), { recursive: true });
    return answerWith('codex', 'paid for');
  });
  const { code, stdout, stderr } = await rig.run('tollgate', ['call', 'codex', 'Say it.', '--trust-workspace']);
  assert.equal([code, stdout], [0, 'paid for\n'], stderr);
  const folder = path.join(rig.project, /files: (.+)\n$/.exec(stderr)![1]!);
  assert.is(readFileSync(path.join(folder, 'answer.md'), 'utf8'), 'paid for');
  assert.match(
    readFileSync(path.join(folder, 'call.json'), 'utf8'),
    'was removed during the call; it was created again',
  );
});

const IN_THE_WAY: [what: string, put: (place: string) => void][] = [
  ['a FIFO', (place) => execFileSync('mkfifo', [place])],
  ['a file', (place) => writeFileSync(place, 'in the way')],
];
for (const [what, put] of IN_THE_WAY)
  test(`${what} in the place of each folder before the run is set aside, and no agent is blamed`, async ({
    rig,
    task,
  }) => {
    const folders = ['outputs', 'done', 'state/attempts', 'state/baseline', 'inputs/prompt'];
    for (const folder of folders) {
      const place = path.join(task.folder, folder);
      mkdirSync(path.dirname(place), { recursive: true });
      put(place);
    }
    rig.answer(() => answerWith('codex', 'paid for'));
    const { code, said } = await task.run();
    assert.equal([code, task.read('outputs/codex_brief.codex.out'), rig.calls.length], [0, 'paid for', 1], said);
    for (const folder of folders) {
      const [above, name] = [path.join(task.folder, path.dirname(folder)), path.basename(folder)];
      const aside = readdirSync(above).find((entry) => entry.startsWith(`${name}.unreadable-`));
      assert.match(said, `it was set aside as ${aside}`);
    }
  });

const RESULTS = ['codex.out', 'codex.err', 'codex.raw', 'codex.call.json', 'gate.json'];
const KINDS: Record<string, (place: string) => void> = {
  'a FIFO': (place) => execFileSync('mkfifo', [place]),
  'a folder': (place) => mkdirSync(path.join(place, 'in'), { recursive: true }),
  'a link to a device': (place) => symlinkSync('/dev/zero', place),
  'a link to itself': (place) => symlinkSync(path.basename(place), place),
};
test(`${Object.keys(KINDS).join(', ')} where the results of later stages will be are set aside or replaced`, async ({
  rig,
}) => {
  const later = Object.keys(KINDS).map((_, i) => `later_${i}`);
  const stages = ['first', ...later].map((id) => ({ tool: 'codex', role: 'brief', id, ...ANY_ANSWER }));
  const task = makeTask(rig, { stages }, 'five');
  const resultsOf = (id: string) => RESULTS.map((name) => path.join(task.folder, 'outputs', `${id}.${name}`));
  rig.answer(() => {
    if (rig.calls.length === 1)
      for (const [i, put] of Object.values(KINDS).entries()) resultsOf(later[i]!).forEach(put);
    return answerWith('codex', 'an answer');
  });
  const { code, report } = await task.run();
  assert.equal([code, report.state, rig.calls.length], [0, 'done', 5], JSON.stringify(report.failure));
  const said = report.stages.flatMap((stage) => stage.warnings ?? []).join('\n');
  for (const [i, kind] of Object.keys(KINDS).entries()) {
    for (const file of resultsOf(later[i]!)) assert.ok(lstatSync(file).isFile(), file);
    const word = kind.startsWith('a link') ? 'a symbolic link' : kind;
    assert.match(said, `${later[i]}.codex.out was ${word}; it was set aside as`);
  }
});

test("the folder of a wrapper's --out becomes a link: the answer is where it was asked for", async ({
  rig,
  outside,
}) => {
  const place = path.join(rig.project, 'sub');
  rig.answer(() => {
    TURNS['a link to another folder']!(place, outside);
    return answerWith('codex', 'paid for');
  });
  const { code, record } = await runWrapper(rig, 'codex', ['--out=sub/x.out']).ended();
  assert.equal([code, readFileSync(path.join(place, 'x.out'), 'utf8'), readdirSync(outside)], [0, 'paid for', []]);
  assert.match(
    record.warnings.join('\n'),
    `${place} had become a symbolic link, which was set aside as sub.unreadable-`,
  );
});

test('a link that was there before leads where it led then', async ({ rig, outside }) => {
  const first = path.join(rig.project, 'first');
  mkdirSync(first);
  symlinkSync('first', path.join(rig.project, 'now'));
  rig.answer(() => {
    renameSync(path.join(rig.project, 'now'), path.join(rig.project, 'old'));
    symlinkSync(outside, path.join(rig.project, 'now'));
    return answerWith('codex', 'paid for');
  });
  const { code } = await runWrapper(rig, 'codex', ['--out=now/x.out']).ended();
  assert.equal([code, readFileSync(path.join(first, 'x.out'), 'utf8'), readdirSync(outside)], [0, 'paid for', []]);
});

test.run();
