// What an agent may not do from within its call: every row of the table, however the agent hides where it comes from.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SUBCOMMANDS } from '../../../bin/tollgate/subcommands.ts';
import { GUARDED } from '../../../bin/tollgate/within-call.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import { type RegisterEntry, registerFolder, writeEntry } from '../../../state/calls/call-register.ts';
import { ownGroup } from '../../../wrappers/processes/cgroup.ts';
import { identify, identifyChild } from '../../../wrappers/processes/identity.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { endStrangers, startStranger } from '../../rig/stranger.ts';
import { answerWith } from '../../rig/streams.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; port: number; server: Server }>('within a call');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  Object.assign(context, { server, port: (server.address() as { port: number }).port });
  spawnSync('git', ['init', '-q'], { cwd: context.rig.project });
});
test.after.each(async ({ rig, server }) => {
  server.close();
  await endStrangers();
  await rig.dispose();
});

const TOLLGATE = path.resolve(import.meta.dirname, '../../../dist/tollgate.cjs');

/** A command line of each row, which ends at once where it is not refused: the console finds its port taken. */
const samples = (n: number, port: number): Record<keyof typeof GUARDED, string[]> => ({
  budget: ['budget', '--per', 'day', '--unset'],
  answer: ['answer', 'nothing', 'yes'],
  console: ['console', '--port', String(port)],
  trust: ['trust', '.'],
  tools: ['tools', 'add', 'nothing'],
  acceptInRun: ['run', 'nothing', '--accept-changes'],
  acceptInBatch: ['batch', 'nothing', '--accept-changes'],
  acceptInSupervision: ['supervise', 'nothing', '--accept-changes'],
  acceptTree: ['supervise', 'nothing', '--accept-tree'],
  archive: ['archive', 'nothing'],
  endOfComparison: ['compare', '--remove', 'last'],
  limitOfBook: ['distill', 'nothing.epub', '--max-calls', '5'],
  limitOfResumedBook: ['distill', 'resume', 'nothing', '--max-calls', '5'],
  adopt: ['sessions', 'adopt', 'login', '0199a213-81c0-7800-8aa1-bbab2a035a53', '--tool', 'codex'],
  forget: ['sessions', 'forget', 'login'],
  undo: ['undo', '0199a213'],
  recover: ['recover', '0199a213', '--choose', 'ignore'],
  submit: ['submit', 'nothing'],
  worker: ['worker', '--tools', 'nothing'],
  fleet: ['fleet', 'drain'],
  sweep: ['preflight', '--sweep'],
  gitignore: ['init', `task-${n}`, '--json'],
});

/** Commands that write and are not in the table, each with the reason. */
const ALLOWED: Record<string, string> = {
  call: 'a call of its own, which the limits count',
  mcp: 'a server, whose tools are the commands',
};

/** init writes its task all the same, and reports that it left .gitignore alone. */
const isRefused = (name: string, { act }: { act: string }, said: string): boolean =>
  name === 'gitignore' ? said.includes('"gitignore":null') : said.includes(`a call may not ${act}, and `);

const isLoosening = ({ loosens }: { loosens: unknown }) => loosens !== false;

/** A wrapper whose CLI works until the test ends it. */
async function liveCall(rig: TestRig): Promise<{ fake: FakeCall; end(): Promise<void> }> {
  rig.write('ask.md', 'Wait.\n');
  const { result } = rig.start('run_codex', ['--prompt-file=ask.md', '--out=o', '--err=e', '--trust-workspace']);
  const fake = await rig.call();
  const end = async () => {
    await fake.tell(...answerWith('codex', 'done'));
    assert.is((await result).code, 0);
  };
  return { fake, end };
}

const idOf = ({ report }: FakeCall): string => report.env.TOLLGATE_CALL_ID!;

/** What the agent's shell says that clears the environment. */
async function cleared(
  rig: TestRig,
  fake: FakeCall,
  argv: string[],
  more: Record<string, string> = {},
): Promise<string> {
  const to = path.join(rig.root, 'said');
  const words = Object.entries({ ...rig.env, ...more }).map(([name, value]) => `${name}=${value}`);
  await fake.tell({ do: 'run', argv: ['env', '-i', ...words, process.execPath, TOLLGATE, ...argv], to });
  return readFileSync(to, 'utf8');
}

/** Waits until the shell that has started it is gone. */
const INNER = 'while kill -0 "$0" 2>/dev/null; do :; done; "$@" > "$OUT" 2>&1';
const OUTER = '[ -z "$LEAVE" ] || echo 0 >"$LEAVE"; /bin/sh -c "$INNER" $$ "$@" &';
const HOME_GROUP = ownGroup()?.group ?? null;

function makeFifo(rig: TestRig, mode = 0o600): string {
  const out = path.join(rig.root, 'fifo');
  rmSync(out, { force: true });
  assert.is(spawnSync('mkfifo', ['-m', mode.toString(8), out]).status, 0);
  return out;
}

/**
 * The same of a process that has lost its parent, in a session of its own unless `session` is that of the CLI. It leaves the
 * cgroup of its call unless it `stays`.
 */
async function orphaned(
  rig: TestRig,
  fake: FakeCall,
  argv: string[],
  session: 'own' | 'cli' = 'own',
  stays = false,
): Promise<string> {
  const out = makeFifo(rig);
  const leave = HOME_GROUP === null || stays ? '' : path.join(HOME_GROUP, 'cgroup.procs');
  const env = { ...rig.env, INNER, OUT: out, LEAVE: leave };
  const words = ['/bin/sh', '-c', OUTER, 'sh', process.execPath, TOLLGATE, ...argv];
  const said = readFile(out, 'utf8');
  await fake.spawn(words, { detached: session === 'own', env });
  return said;
}

test('a command that writes is in the table, or in the list of those that are allowed', () => {
  const guarded = new Set(Object.values(GUARDED).map(({ command }) => command.split(' ')[1] ?? command));
  const open = Object.entries(SUBCOMMANDS).filter(([word, { writes }]) => writes && !guarded.has(word));
  assert.equal(open.map(([word]) => word).sort(), Object.keys(ALLOWED).sort());
});

test('with the marker every row is refused', async ({ rig, port }) => {
  for (const [name, argv] of Object.entries(samples(1, port))) {
    const { code, stdout, stderr } = await rig.run('tollgate', argv, { env: { TOLLGATE_CALL_ID: 'outer/inner' } });
    const row = GUARDED[name as keyof typeof GUARDED];
    assert.ok(isRefused(name, row, stdout + stderr), `${argv.join(' ')}: ${stdout}${stderr}`);
    if (name !== 'gitignore') assert.equal([code, stderr.includes('the call outer/inner; ask')], [2, true], name);
  }
});

test('preflight alone may not sweep either', async ({ rig }) => {
  const { code, stderr } = await rig.run('preflight', ['--sweep'], { env: { TOLLGATE_CALL_ID: 'outer/inner' } });
  assert.equal([code, stderr.includes('a call may not sweep, and ')], [2, true], stderr);
});

test('under a CLI that runs a command is refused without an environment, and none outside', async ({ rig, port }) => {
  const { fake, end } = await liveCall(rig);
  const rows = samples(1, port);
  // One that loosens, one that does not, one that refuses by itself, and one that is also a command of its own.
  for (const name of ['trust', 'undo', 'gitignore', 'sweep'] as const) {
    const said = await cleared(rig, fake, rows[name]);
    assert.ok(isRefused(name, GUARDED[name], said), `${name}: ${said}`);
    if (name !== 'gitignore') assert.match(said, `and this was started from within the call ${idOf(fake)}; ask`);
  }
  for (const [name, argv] of Object.entries(samples(2, port))) {
    const { stdout, stderr } = await rig.run('tollgate', argv);
    assert.not(isRefused(name, GUARDED[name as keyof typeof GUARDED], stdout + stderr), `${argv.join(' ')}: ${stderr}`);
  }
  await end();
});

test('an orphan may not loosen anything while a call runs, and may again once it has ended', async ({ rig, port }) => {
  const { fake, end } = await liveCall(rig);
  const rows = samples(1, port);
  assert.match(
    await orphaned(rig, fake, rows.trust),
    `a call may not change which folders are trusted, and whether this was started from within the call ${idOf(fake)} cannot be determined: `,
  );
  assert.not.match(await orphaned(rig, fake, rows.undo), 'a call may not ');
  await end();
  const { code, stderr } = await rig.run('tollgate', ['trust']);
  assert.equal([code, stderr], [0, '']);
});

(HOME_GROUP === null ? test.skip : test)(
  'an orphan that stays in the cgroup of its call is in its call',
  async ({ rig }) => {
    const { fake, end } = await liveCall(rig);
    const said = await orphaned(rig, fake, ['trust'], 'own', true);
    assert.match(said, `and this was started from within the call ${idOf(fake)}; ask`);
    await end();
  },
);

test('an agent that names another folder for the state is in its call all the same', async ({ rig }) => {
  const { fake, end } = await liveCall(rig);
  const other = path.join(rig.root, 'other');
  mkdirSync(other);
  for (const more of [{ XDG_STATE_HOME: path.join(other, 'state') }, { HOME: other }])
    assert.match(
      await cleared(rig, fake, ['trust'], more),
      `and this was started from within the call ${idOf(fake)}; ask`,
    );
  await end();
});

test('a CLI that has cleared its own environment is known by the register, also by its session', async ({ rig }) => {
  const program = path.join(rig.root, 'lib/codex');
  mkdirSync(path.dirname(program), { recursive: true });
  const real = path.join(rig.bin, 'codex');
  spawnSync('mv', [real, program]);
  const words = Object.entries(rig.env).map(([name, value]) => `'${name}=${value}'`);
  const shell = `#!/bin/sh\nexec env -i ${words.join(' ')} '${process.execPath}' '${program}' "$@"\n`;
  writeFileSync(real, shell, { mode: 0o755 });
  const { fake, end } = await liveCall(rig);
  assert.is(fake.report.env.TOLLGATE_CALL_ID, undefined);
  assert.match(await cleared(rig, fake, ['trust']), 'and this was started from within the call ');
  assert.match(await orphaned(rig, fake, ['trust'], 'cli'), 'and this was started from within the call ');
  assert.match(await orphaned(rig, fake, ['trust'], 'own'), 'cannot be determined: ');
  await end();
});

/** An entry as a call writes it, or as an agent forges it. */
function enter(rig: TestRig, guardian: ProcessIdentity, cli: ProcessIdentity | null, n = 0): void {
  const call_id = `20260101000000-0000000${n}`;
  const entry: RegisterEntry = {
    ...{ v: 1, call_id, guardian, cli, marker: call_id, attempt: rig.root, temporary: rig.root },
    ...{ deadline_at: new Date(Date.now() + 3_600_000).toISOString(), overlay_folders: [], task: null, draft: null },
  };
  assert.ok(writeEntry(registerFolder(rig.env)!, entry) !== null);
}

const trusted = (rig: TestRig) => rig.start('tollgate', ['trust']).result;

test('what a shell starts that was opened before the call is outside, also what has lost its parent', async ({
  rig,
}) => {
  const out = makeFifo(rig);
  const script = `read -r _; /bin/sh -c '${OUTER}' sh "$@"; read -r _`;
  const shell = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, TOLLGATE, 'trust'], {
    ...{ cwd: rig.project, env: { ...rig.env, INNER, OUT: out }, detached: true, stdio: ['pipe', 'ignore', 'inherit'] },
  });
  const since = Number((await identify(shell.pid!))!.start_time);
  let guardian = (await identify(startStranger()))!;
  // The kernel counts in hundredths of a second.
  while (Number(guardian.start_time) <= since) guardian = (await identify(startStranger()))!;
  enter(rig, guardian, null);
  const said = readFile(out, 'utf8');
  shell.stdin!.write('\n');
  assert.match(await said, 'is trusted now');
  shell.stdin!.end();
});

test('an entry that names a process which is not one of a call locks nobody out', async ({ rig }) => {
  const stranger = (await identify(startStranger()))!;
  const self = (await identify(process.pid))!;
  const gone = { ...stranger, start_time: '1' };
  for (const [i, [guardian, cli]] of [
    // The test is an ancestor of the command, as a login shell would be.
    [stranger, self] as const,
    [gone, self] as const,
    // Its number was given to another process.
    [stranger, { ...self, start_time: '1' }] as const,
    [gone, { ...self, start_time: '1' }] as const,
    [
      { ...self, boot_id: 'another boot' },
      { ...self, boot_id: 'another boot' },
    ] as const,
  ].entries())
    enter(rig, guardian, cli, i);
  const { code, stderr } = await trusted(rig);
  assert.equal([code, stderr], [0, '']);
});

test('what a killed CLI has started is within its call, also once its guardian was killed', async ({ rig }) => {
  const out = makeFifo(rig);
  const leader = spawn('/bin/sh', ['-c', OUTER, 'sh', process.execPath, TOLLGATE, 'trust'], {
    ...{ cwd: rig.project, env: { ...rig.env, INNER, OUT: out }, detached: true, stdio: 'ignore' },
  });
  const exited = once(leader, 'exit');
  const cli = (await identifyChild(leader.pid!))!;
  await exited;
  enter(rig, { ...cli, start_time: '1' }, cli);
  assert.match(await readFile(out, 'utf8'), 'and this was started from within the call 20260101000000-00000000;');
});

test('an entry whose number was given to another process counts for nothing', async ({ rig }) => {
  const out = makeFifo(rig);
  const argv = ['-c', 'read -r _; "$@" > "$OUT" 2>&1', 'sh', process.execPath, TOLLGATE, 'trust'];
  // In a session of its own, and a child of the guardian, as a CLI is.
  const shell = spawn('/bin/sh', argv, {
    ...{ cwd: rig.project, env: { ...rig.env, OUT: out }, detached: true, stdio: ['pipe', 'ignore', 'inherit'] },
  });
  const [guardian, cli] = [(await identify(process.pid))!, (await identify(shell.pid!))!];
  enter(rig, guardian, { ...cli, start_time: '1' });
  const said = readFile(out, 'utf8');
  shell.stdin!.end('\n');
  assert.match(await said, 'is trusted now');
});

/** Makes the origin of every command unknown, as that of an orphan is. */
function breakRegister(rig: TestRig): string {
  const folder = registerFolder(rig.env)!;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  return folder;
}

test('a register that cannot be read is a reason to loosen nothing', async ({ rig, port }) => {
  const folder = breakRegister(rig);
  for (const [name, argv] of Object.entries(samples(1, port))) {
    const row = GUARDED[name as keyof typeof GUARDED];
    // Without a limit before it a budget takes none away.
    const loosens = isLoosening(row) && name !== 'budget';
    const { code, stdout, stderr } = await rig.run('tollgate', argv);
    assert.is(isRefused(name, row, stdout + stderr), loosens, `${argv.join(' ')}: ${stdout}${stderr}`);
    if (!loosens) continue;
    assert.is(code, 2, name);
    assert.match(stderr, `${folder} cannot be read: ${folder} is not ours alone to write`);
  }
  chmodSync(folder, 0o700);
  const file = path.join(folder, '20260101000000-00000000.json');
  writeFileSync(file, '{}');
  assert.match(
    (await trusted(rig)).stderr,
    `does not show whether this was started from within one: ${file} cannot be`,
  );
});

test('what may be started by a call may lower a limit, and not raise it or take it away', async ({ rig }) => {
  const budget = (...argv: string[]) => rig.run('tollgate', ['budget', ...argv]);
  rig.write('.tmp/task/fix/manifest.json', '{}');
  rig.write('.tmp/task/limited/manifest.json', '{}');
  await budget('limited', '--set', '6');
  const folder = breakRegister(rig);
  for (const [argv, allowed] of [
    ['--per day --set 5', true],
    ['--per day --set 3', true],
    ['--per day --set 4', false],
    ['--per day --unset', false],
    ['--at-once 3', true],
    ['--at-once 2', true],
    ['--at-once 0', false],
    ['--per-minute 9', true],
    ['--per-minute 10', false],
    ['--time-zone Europe/Berlin', false],
    ['fix --set 1', false],
    ['limited --set 5', true],
    ['limited --set 6', false],
    ['limited --reset', false],
  ] as const) {
    const { stderr } = await budget(...argv.split(' '));
    assert.is(!stderr.includes('a call may not change a budget'), allowed, `${argv}: ${stderr}`);
  }
  assert.is((await budget()).code, 0);
  chmodSync(folder, 0o700);
});

/** With what the shell says done in a mount namespace (`-m`) or a PID namespace of its own (`-p`). */
const UNSHARE = process.getuid?.() === 0 ? ['unshare'] : ['unshare', '-Ur'];
const mayUnshare = (...flags: string[]) =>
  process.platform === 'linux' && spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), ...flags, 'true']).status === 0;

if (!mayUnshare('-m')) console.log('SKIPPED: no mount namespace can be made here, in which /proc would be hidden');
else
  test('where /proc shows nothing, nothing is loosened while a call runs', async ({ rig }) => {
    const hidden = () =>
      spawnSync(
        UNSHARE[0]!,
        [
          ...UNSHARE.slice(1),
          '-m',
          'sh',
          '-c',
          'mount -t tmpfs none /proc && exec "$@"',
          'sh',
          process.execPath,
          TOLLGATE,
          'trust',
        ],
        { cwd: rig.project, env: rig.env, encoding: 'utf8' },
      );
    assert.equal([hidden().stderr, hidden().status], ['', 0]);
    enter(rig, (await identify(startStranger()))!, null);
    assert.match(hidden().stderr, 'cannot be determined: the system does not show the processes of this machine');
  });

if (!mayUnshare('-pf', '--mount-proc')) console.log('SKIPPED: no PID namespace can be made here');
else
  test('in a PID namespace of its own an agent loosens nothing', async ({ rig }) => {
    const { fake, end } = await liveCall(rig);
    const to = path.join(rig.root, 'said');
    const words = Object.entries(rig.env).map(([name, value]) => `${name}=${value}`);
    const space = [...UNSHARE, '-pf', '--mount-proc'];
    const argv = [...space, 'env', '-i', ...words, process.execPath, TOLLGATE, 'trust'];
    await fake.tell({ do: 'run', argv, to });
    // By its cgroup it is known to be of the call.
    const seen =
      HOME_GROUP !== null ? `from within the call ${idOf(fake)};` : `the call ${idOf(fake)} cannot be determined: `;
    assert.match(readFileSync(to, 'utf8'), seen);
    await end();
  });

if (HOME_GROUP === null || !mayUnshare('-pmf', '--mount-proc'))
  console.log('SKIPPED: no cgroup and PID namespace can be made here');
else
  test('an agent that hides its parents and the register of calls loosens nothing', async ({ rig }) => {
    const { fake, end } = await liveCall(rig);
    const to = path.join(rig.root, 'said');
    const hide = `mount -t tmpfs none '${registerFolder(rig.env)}' && exec "$@"`;
    const words = Object.entries(rig.env).map(([name, value]) => `${name}=${value}`);
    const space = [...UNSHARE, '-pmf', '--mount-proc', 'sh', '-c', hide, 'sh'];
    await fake.tell({ do: 'run', argv: [...space, 'env', '-i', ...words, process.execPath, TOLLGATE, 'trust'], to });
    assert.match(readFileSync(to, 'utf8'), `from within the call ${idOf(fake)};`);
    await end();
  });

const NOBODY = 65_534;

if (process.getuid?.() !== 0 || !mayUnshare('-m') || !existsSync('/usr/bin/setpriv'))
  console.log('SKIPPED: only root can hide the processes of another user (hidepid), with unshare and setpriv');
else
  test('where the processes of other users are hidden, what they started is outside, and an orphan is not', async ({
    rig,
  }) => {
    const script = `mount -o remount,hidepid=2 /proc && exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$@"`;
    const guardian = spawn('sleep', ['600'], { uid: NOBODY, gid: NOBODY, detached: true, stdio: 'ignore' });
    try {
      enter(rig, (await identify(guardian.pid!))!, null);
      spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, rig.root]);
      const asNobody = async (argv: string[]) => {
        const out = makeFifo(rig, 0o666);
        const said = readFile(out, 'utf8');
        const env = { ...rig.env, INNER, OUT: out };
        spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...argv], { cwd: rig.project, env, stdio: 'ignore' });
        return said;
      };
      const command = [process.execPath, TOLLGATE, 'trust'];
      assert.match(await asNobody(['sh', '-c', '"$@" > "$OUT" 2>&1', 'sh', ...command]), 'is trusted now');
      assert.match(await asNobody(['sh', '-c', OUTER, 'sh', ...command]), 'its first parent may have ended');
    } finally {
      guardian.kill('SIGKILL');
    }
  });

test.run();
