// What comes back from a worker: the record, the answers and a patch, into the submitter's own task folder.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PackedTask } from '../../../fleet/travel/pack.ts';
import { pushResult } from '../../../fleet/travel/push.ts';
import { type PackedResult, packResult, unpackResult } from '../../../fleet/travel/result.ts';
import type { UnpackedTask } from '../../../fleet/travel/unpack.ts';
import { contextIn, OPTIONS } from '../../rig/run-settings.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER } from '../../rig/task-run.ts';
import { put, refusalOf, Travelling } from '../../rig/travelling.ts';

const test = suite<{ travelling: Travelling }>('a result comes back');
test.before.each(async (context) => {
  context.travelling = await Travelling.open();
});
test.after.each(({ travelling }) => travelling.rig.dispose());

interface Sent {
  packed: PackedTask;
  unpacked: UnpackedTask;
}

async function send(travelling: Travelling, changes: 'patch' | 'refused' = 'refused'): Promise<Sent> {
  const { packed } = await travelling.pack({ changes, trustWorkspace: true });
  return { packed, unpacked: await travelling.unpack(packed) };
}

/** As a worker runs it, in its own tree. */
async function run({ rig }: Travelling, { unpacked }: Sent): Promise<number | null> {
  const { code } = await rig.run('tollgate', ['run', unpacked.folder, '--trust-workspace'], { cwd: unpacked.worktree });
  return code;
}

const bring = ({ rig }: Travelling, sent: Sent, shared: string | null = null): Promise<PackedResult> =>
  packResult({
    ...sent,
    shared,
    options: { ...OPTIONS, trustWorkspace: true },
    context: contextIn(rig, { cwd: sent.unpacked.worktree }),
  });

const fetched = ({ rig, folder }: Travelling, result: PackedResult) =>
  unpackResult(result, { folder, root: rig.project });
const local = ({ folder }: Travelling, name: string): string => readFileSync(path.join(folder, name), 'utf8');

test('report, explain and logs work on it, and the patch has what the agent changed', async ({ travelling }) => {
  const { rig } = travelling;
  rig.write('code.txt', 'mine\n');
  const sent = await send(travelling, 'patch');
  const { worktree, folder } = sent.unpacked;
  rig.answer((call) => {
    put(path.join(worktree, 'made/new.bin'), Buffer.from([0, 255, 10]));
    writeFileSync(path.join(worktree, 'code.txt'), 'theirs\n');
    put(path.join(worktree, '.env'), 'KEY=hunter2');
    return answerWith(call.report.tool as 'gemini', 'done it');
  });
  assert.is(await run(travelling, sent), 0);
  const result = await bring(travelling, sent);
  assert.match(result.omitted.join(), '.env is forbidden or may hold a secret');
  const { patch } = fetched(travelling, result);
  assert.ok(
    readFileSync(path.join(travelling.folder, 'state/journal.jsonl')).equals(
      readFileSync(path.join(folder, 'state/journal.jsonl')),
    ),
  );
  assert.is(local(travelling, 'outputs/do.gemini.out').trim(), 'done it');
  assert.not.match(local(travelling, 'outputs/_summary.md'), worktree);
  const report = JSON.parse((await rig.run('tollgate', ['report', '--json'])).stdout);
  assert.is(report.tasks[0].state, 'done');
  const logs = await rig.run('tollgate', ['logs', 'fix']);
  assert.match(logs.stdout, 'done it', logs.stderr);
  // It has nothing of the user's own changes, which are still there.
  execFileSync('git', ['apply', path.join(travelling.folder, patch!)], { cwd: rig.project, env: rig.env });
  assert.is(readFileSync(path.join(rig.project, 'code.txt'), 'utf8'), 'theirs\n');
  assert.equal([...readFileSync(path.join(rig.project, 'made/new.bin'))], [0, 255, 10]);
  assert.not.ok(existsSync(path.join(rig.project, '.env')));
});

test('a task that changed nothing has no patch, whatever changes of the user it got', async ({ travelling }) => {
  const { rig } = travelling;
  travelling.manifest({ stages: [{ tool: 'gemini', role: 'review', id: 'do', ...ANY_ANSWER }] });
  rig.write('code.txt', 'mine\n');
  rig.write('new.txt', 'l\xe9\n');
  const sent = await send(travelling, 'patch');
  rig.answer((call) => answerWith(call.report.tool as 'gemini', 'done it'));
  assert.is(await run(travelling, sent), 0);
  const result = await bring(travelling, sent);
  assert.equal([result.omitted, fetched(travelling, result).patch], [[], null]);
});

test('a failed task comes back with its failure, and continues where it was submitted again', async ({
  travelling,
}) => {
  const { rig } = travelling;
  travelling.manifest({ stages: ['a', 'b'].map((id) => ({ tool: 'gemini', role: 'review', id, ...ANY_ANSWER })) });
  rig.answer(() =>
    rig.calls.length === 1 ? answerWith('gemini', 'fine') : failWith('gemini', 'Invalid argument', 400),
  );
  const first = await send(travelling);
  assert.is(await run(travelling, first), 1);
  const paid = rig.calls.length;
  fetched(travelling, await bring(travelling, first));
  const explained = await rig.run('tollgate', ['explain', 'fix', '--json']);
  assert.is(JSON.parse(explained.stdout).stage, 'b', explained.stdout + explained.stderr);
  rig.answer(() => answerWith('gemini', 'fine'));
  const second = await send(travelling);
  assert.is(await run(travelling, second), 0);
  assert.is(rig.calls.length, paid + 1, 'stage a was paid once');
  fetched(travelling, await bring(travelling, second));
  assert.match(local(travelling, 'outputs/_summary.md'), 'done');
});

test('what finished and unfinished stages changed is there for the next worker, and comes back with the end', async ({
  travelling,
}) => {
  const { rig, folder } = travelling;
  const stages = ['a', 'b'].map((id) => ({ tool: 'gemini', role: 'impl', id, ...ANY_ANSWER, requires: ['Notes'] }));
  travelling.manifest({ stages });
  const writes = (name: string, answer: string) =>
    rig.answer((call) => {
      put(path.join(call.report.cwd, name), `${name}\n`);
      return answerWith('gemini', answer);
    });
  const fails = rig.calls.length;
  rig.answer((call) => {
    put(path.join(call.report.cwd, rig.calls.length === fails + 1 ? 'a.txt' : 'b.txt'), 'new\n');
    return answerWith('gemini', rig.calls.length === fails + 1 ? '## Notes\n\nfine' : 'no sections');
  });
  const first = await send(travelling);
  assert.is(await run(travelling, first), 1);
  fetched(travelling, await bring(travelling, first));
  assert.match(local(travelling, 'outputs/_fleet.patch'), /a\.txt[\s\S]*b\.txt/);
  // Stage b continues: its earlier changes can be checked there.
  writes('c.txt', '## Notes\n\nfine');
  const second = await send(travelling);
  assert.ok(existsSync(path.join(second.unpacked.worktree, 'a.txt')));
  assert.is(await run(travelling, second), 0);
  fetched(travelling, await bring(travelling, second));
  const patch = local(travelling, 'outputs/_fleet.patch');
  for (const name of ['a.txt', 'b.txt', 'c.txt']) assert.match(patch, `+++ b/${name}`);
  // Applied here, it travels as a change of the user, or with the commit.
  execFileSync('git', ['apply', path.join(folder, 'outputs/_fleet.patch')], { cwd: rig.project, env: rig.env });
  const third = await send(travelling, 'patch');
  assert.not.ok(existsSync(path.join(third.unpacked.folder, 'outputs/_fleet.patch')));
  assert.ok(existsSync(path.join(third.unpacked.worktree, 'c.txt')));
  writeFileSync(path.join(rig.project, 'a.txt'), 'other\n');
  assert.match(
    await refusalOf(travelling.pack({ changes: 'patch', trustWorkspace: true })),
    /_fleet\.patch holds what stages of fix changed/,
  );
  execFileSync('git', ['clean', '-qf'], { cwd: rig.project, env: rig.env });
  travelling.manifest({ stages, worktree: true });
  assert.match(await refusalOf(travelling.pack({ trustWorkspace: true })), /apply it, commit and push/);
});

test('a task with a worktree of its own brings back the changes of that', async ({ travelling }) => {
  const { rig } = travelling;
  travelling.manifest({ worktree: true });
  const sent = await send(travelling);
  rig.answer((call) => {
    put(path.join(call.report.cwd, 'new.txt'), 'new\n');
    return answerWith('gemini', 'done it');
  });
  assert.is(await run(travelling, sent), 0);
  const { patch } = fetched(travelling, await bring(travelling, sent));
  assert.match(local(travelling, patch!), /^\+new$/m);
});

test('a journal here that the result does not continue is never overwritten', async ({ travelling }) => {
  const sent = await send(travelling);
  put(path.join(sent.unpacked.folder, 'state/journal.jsonl'), 'one\ntwo\n');
  const result = await bring(travelling, sent);
  put(path.join(travelling.folder, 'state/journal.jsonl'), 'one\nother\n');
  const message = await refusalOf((async () => fetched(travelling, result))());
  assert.match(message, /has a journal here .*nothing was written; move it away \(tollgate archive fix\)/);
  assert.equal(
    [local(travelling, 'state/journal.jsonl'), existsSync(path.join(travelling.folder, 'outputs'))],
    ['one\nother\n', false],
  );
  put(path.join(travelling.folder, 'state/journal.jsonl'), 'one\n');
  fetched(travelling, result);
  fetched(travelling, result);
  assert.is(local(travelling, 'state/journal.jsonl'), 'one\ntwo\n');
});

test('above 5 MB the record and the answers come first, and what is omitted is named', async ({ travelling }) => {
  const sent = await send(travelling);
  const { folder, worktree } = sent.unpacked;
  put(path.join(folder, 'state/journal.jsonl'), '');
  put(path.join(folder, 'outputs/do.gemini.out'), randomBytes(1024 ** 2));
  put(path.join(folder, 'outputs/do.gemini.raw'), randomBytes(5 * 1024 ** 2));
  put(path.join(worktree, 'big.bin'), randomBytes(4 * 1024 ** 2));
  put(path.join(worktree, 'huge.bin'), '');
  truncateSync(path.join(worktree, 'huge.bin'), 65 * 1024 ** 2);
  const result = await bring(travelling, sent);
  assert.ok(Buffer.isBuffer(result.result) && result.result.length < 5 * 1024 ** 2);
  const omitted = result.omitted.map((line) => line.replace(/ \(.*| is on .*/, ''));
  assert.equal(omitted, [
    'huge.bin cannot be read, or is too large',
    'the patch of the tree',
    'outputs/do.gemini.raw',
    'what is omitted',
  ]);
  put(path.join(travelling.folder, 'outputs/_fleet.patch'), 'diff --git a/x b/x\n');
  for (let n = 0; n < 2; n++) {
    const { patch, lost } = fetched(travelling, result);
    assert.equal([patch, lost?.replace(/ \(.*/, '')], [null, 'the patch of the tree']);
  }
  assert.equal(readdirSync(path.join(travelling.folder, 'outputs')).sort(), [
    '_fleet.earlier.patch',
    '_fleet.patch',
    'do.gemini.out',
  ]);
  assert.match(local(travelling, 'outputs/_fleet.patch'), `What fix changed is not here: the patch of the tree (`);
  assert.match(await refusalOf(travelling.pack({ trustWorkspace: true })), 'did not come back from the worker');
  rmSync(path.join(travelling.folder, 'outputs/_fleet.earlier.patch'));
  const shared = path.join(travelling.rig.root, 'shared');
  const whole = await bring(travelling, sent, shared);
  assert.equal([Buffer.isBuffer(whole.result), whole.omitted.length], [false, 2]);
  assert.is(fetched(travelling, whole).patch, 'outputs/_fleet.patch');
  const blocked = await bring(travelling, sent, path.join(whole.from.folder, 'manifest.json'));
  assert.match(blocked.omitted.join(), 'cannot be written', 'a result is never refused');
  assert.ok(Buffer.isBuffer(blocked.result));
});

test('the task is made where there is none, and inputs that are here stay as they are', async ({ travelling }) => {
  const sent = await send(travelling);
  put(path.join(sent.unpacked.folder, 'inputs/note.md'), 'of the worker');
  const result = await bring(travelling, sent);
  put(path.join(travelling.folder, 'inputs/note.md'), 'mine');
  fetched(travelling, result);
  assert.is(local(travelling, 'inputs/note.md'), 'mine');
  rmSync(travelling.folder, { recursive: true });
  fetched(travelling, result);
  assert.is(JSON.parse(local(travelling, 'manifest.json')).task_id, 'fix');
});

test('--push makes a branch of the commit and the patch, and changes neither tree nor index', async ({
  travelling,
}) => {
  const { rig } = travelling;
  const sent = await send(travelling);
  put(path.join(sent.unpacked.worktree, 'new.bin'), Buffer.from([0, 1, 2]));
  const packed = await bring(travelling, sent);
  const patch = path.join(travelling.folder, fetched(travelling, packed).patch!);
  rig.write('code.txt', 'in work\n');
  const before = travelling.git('status', '--porcelain', '--branch');
  const halt = new AbortController().signal;
  const asked = { packed, root: rig.project, patch, message: 'Fix it.', environment: rig.env, halt };
  const { branch, commit } = await pushResult(asked);
  assert.is(branch, 'tollgate/fix');
  assert.is(travelling.git('status', '--porcelain', '--branch'), before);
  assert.match(travelling.git('ls-remote', 'origin', 'refs/heads/tollgate/fix'), commit);
  assert.is(
    travelling.git('show', '--format=%P %s', '--name-only', commit),
    `${sent.packed.commit} Fix it.\n\nnew.bin`,
  );
  cpSync(travelling.remote, `${travelling.remote}.moved`, { recursive: true });
  rmSync(travelling.remote, { recursive: true });
  assert.match(
    await refusalOf(pushResult(asked)),
    /fix was not pushed: the remote origin refuses branch tollgate\/fix \(/,
  );
});

test.run();
