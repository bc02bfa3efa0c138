// A CLI that is called through a prefix: in a real bwrap, in a docker, by a script; what does not reach it there is refused.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { prefixMistakes } from '../../policies/rules/command-prefix.ts';
import { FakeDocker } from '../rig/fake-docker.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, untilStarted } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { unless } from '../rig/where-possible.ts';

const test = suite<{ rig: TestRig; docker: FakeDocker }>('a command prefix');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
  context.docker = await FakeDocker.open(context.rig);
});
test.after.each(async ({ rig, docker }) => {
  docker.close();
  await rig.dispose();
});

const sandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-net', 'true']);
const inSandbox = unless(sandbox.status === 0 ? null : 'no bwrap here that may make namespaces', test);

const yaml = (rig: TestRig, tools: object) => rig.write('tollgate.yaml', JSON.stringify({ tools }));
const DOCKER = ['docker', 'run', '--rm', '-i', 'image'];
const IN = ['--prompt-file=ask.md', '--out=out', '--err=err', '--result=record.json', '--trust-workspace'];

async function call(rig: TestRig, ...flags: string[]) {
  rig.write('ask.md', 'Say hello.');
  const ended = await rig.start('run_codex', [...IN, ...flags]).result;
  const read = (name: string) => readFileSync(path.join(rig.project, name), 'utf8');
  return { ...ended, record: JSON.parse(read('record.json')) as CallRecord, out: () => read('out') };
}

inSandbox('bwrap hides the home and the network, and the answer arrives', async ({ rig }) => {
  rig.write('ask.sh', '#!/bin/sh\ncat; echo; ls -A "$HOME"; grep -c : /proc/net/dev; echo "$TOLLGATE_CALL_ID"\n');
  const prefix = [
    ...['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--bind', '{cwd}', '{cwd}', '--tmpfs', '{home}', '--unshare-net', '--clearenv', '--die-with-parent'],
    ...['--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '{home}', '--'],
  ];
  spawnSync('chmod', ['+x', path.join(rig.project, 'ask.sh')]);
  yaml(rig, { mine: { binary: './ask.sh', access: { read: [] }, prefix } });
  rig.write('ask.md', 'Say hello.');
  const flags = ['mine', '-f', 'ask.md', '--trust-workspace', '--json'];
  const { code, stdout, stderr } = await rig.start('tollgate', ['call', ...flags]).result;
  assert.is(code, 0, stderr);
  const { answer, argv, call_id } = JSON.parse(stdout) as CallRecord & { answer: string };
  // Its home is empty, and there is the loopback alone.
  assert.equal(answer.trim().split('\n'), ['Say hello.', '1', call_id]);
  assert.is(argv[0], 'bwrap');
  assert.is(argv.at(-1), path.join(rig.project, 'ask.sh'));
  assert.equal(rig.survivors(), []);
});

inSandbox('bwrap: a call that is stopped leaves nothing', async ({ rig }) => {
  yaml(rig, { codex: { prefix: ['bwrap', '--dev-bind', '/', '/', '--unshare-pid'] } });
  rig.write('ask.md', 'Say hello.');
  const running = rig.start('run_codex', IN);
  const fake = await rig.call();
  running.signal('SIGTERM');
  assert.is((await running.result).code, 143);
  await fake.gone;
  assert.equal(rig.survivors(), []);
});

test('docker: the answer arrives, and the record shows the whole line', async ({ rig, docker }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  rig.answer(() => answerWith('codex', 'hello'));
  const { code, record, out, stderr } = await call(rig);
  assert.is(code, 0, stderr);
  assert.is(out(), 'hello');
  const [fake] = rig.calls;
  assert.is(fake!.report.stdin.text, 'Say hello.');
  assert.is(fake!.report.cwd, rig.project);
  const { argv, call_id } = record;
  assert.equal(argv.slice(0, 6), ['docker', 'run', '--name', `tollgate-${call_id}`, '--workdir', rig.project]);
  const at = argv.indexOf('image');
  assert.equal(argv.slice(at - 2, at + 3), ['--rm', '-i', 'image', 'codex', 'exec']);
  const { TMPDIR } = fake!.report.env;
  assert.is(argv[argv.indexOf('--volume') + 1], `${TMPDIR}:${TMPDIR}`);
  assert.is(record.cli_version, '0.169.0');
  assert.equal(
    docker.started.map((name) => name.replace(`tollgate-${call_id}`, '')),
    ['-version', '-probe', ''],
  );
  assert.is(docker.running.size, 0);
});

test('docker: a container is ended with its call, though it outlives its client', async ({ rig, docker }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  rig.write('ask.md', 'Say hello.');
  const running = rig.start('run_codex', IN);
  await rig.call();
  const [name] = docker.running.keys();
  running.signal('SIGTERM');
  assert.is((await running.result).code, 143);
  assert.equal(docker.stopped, [name]);
  assert.is(docker.running.size, 0);
  assert.equal(rig.survivors(), []);
});

test('docker: the container of a check ends with a call that is stopped meanwhile', async ({ rig, docker }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  rig.write('ask.md', 'Say hello.');
  writeFileSync(path.join(rig.bin, 'sh'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
  const probe = docker.next('-probe');
  const running = rig.start('run_codex', IN);
  const name = await probe;
  running.signal('SIGTERM');
  assert.is((await running.result).code, 143);
  assert.equal([docker.stopped, docker.running.size, rig.calls.length], [[name], 0, 0]);
  assert.equal(rig.survivors(), []);
});

test('docker: a container whose wrapper and client were killed is ended by a sweep', async ({ rig, docker }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  rig.write('ask.md', 'Say hello.');
  const running = rig.start('run_codex', IN);
  await rig.call();
  const [name] = docker.running.keys();
  running.signal('SIGKILL');
  await running.result;
  for (const { pid, command } of rig.survivors()) if (/docker run/.test(command)) process.kill(pid, 'SIGKILL');
  const { code, stdout } = await rig.start('preflight', ['--sweep', '--now']).result;
  assert.is(code, 0, stdout);
  assert.equal(docker.stopped, [name]);
  assert.equal(rig.survivors(), []);
});

test('docker: a run ends the container of a call whose guardian was killed', async ({ rig, docker }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] });
  const first = task.start('--trust-workspace');
  await rig.call();
  await untilStarted(task);
  const [name] = docker.running.keys();
  first.signal('SIGKILL');
  await first.result;
  for (const { pid, command } of rig.survivors())
    if (/run_codex|docker run/.test(command)) process.kill(pid, 'SIGKILL');
  rig.answer(() => answerWith('codex', 'hello'));
  const { code, report, said } = await task.run('--trust-workspace', '--quiet');
  assert.is(code, 0, said);
  assert.equal(docker.stopped, [name]);
  // The run took the prefix from the file, and its guardian from the run.
  assert.is(rig.calls.length, 2);
  assert.is(report.budget.used, 2);
});

test('nothing is called without a prefix that the project sets', async ({ rig }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  rig.write('ask.md', 'Say hello.');
  const { code, stderr } = await rig.start('run_codex', IN.slice(0, -1)).result;
  assert.is(code, 2);
  assert.match(stderr, 'tollgate.yaml gives codex a prefix, and that counts only in a trusted workspace');
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  const ran = await task.run();
  assert.is(ran.code, 2);
  assert.match(ran.said, 'stages[0].tool is codex, to which tollgate.yaml gives a prefix');
  rig.write('tollgate.yaml', 'tools: {codex: {prefix: [');
  assert.is((await rig.start('run_codex', IN).result).code, 2);
  assert.is(rig.calls.length, 0);
});

const MISTAKES: [prefix: string[], message: string][] = [
  [['docker', 'run', '--rm', 'image'], 'needs -i: without it the prompt does not reach the CLI'],
  [['docker', 'run', '-i', 'image'], 'needs --rm: otherwise a container remains after each call'],
  [['docker', 'run', '--rm', '-di', 'image'], 'must not have -d (--detach)'],
  [['podman', 'run', '--rm', '-it', 'image'], 'must not have -t (--tty)'],
  [['docker', 'run', '--rm', '-i', '--name=x', 'image'], 'must not have --name: Tollgate names each container'],
  [['docker', 'exec', '-i', 'x'], 'must continue with run after docker'],
  [['bwrap', '--bind', '{cdw}', '/'], 'has no such place as {cdw}; did you mean {cwd}?'],
];
test('what is wrong with a prefix', () => {
  for (const [prefix, message] of MISTAKES) assert.match(prefixMistakes(prefix).join('\n'), message, prefix.join(' '));
});

/** The first of these, and what the file itself refuses. */
const REFUSED: typeof MISTAKES = [
  MISTAKES[0]!,
  [
    ['docker', 'run', '--rm', '-i', '--env', 'OPENAI_API_KEY=sk-proj-aaaaaaaaaaaaaaaaaaaaaaaa', 'x'],
    'looks like a secret',
  ],
  [['$HOME/bin/box'], 'is taken literally'],
  [[], 'prefix'],
];
test('a prefix that is refused costs nothing', async ({ rig, docker }) => {
  for (const [prefix, message] of REFUSED) {
    yaml(rig, { codex: { prefix } });
    const { code, stderr } = await call(rig);
    assert.is(code, 2, message);
    assert.match(stderr, message);
    assert.match(stderr, 'tollgate.yaml:1: tools.codex.prefix', message);
    assert.equal([rig.calls.length, docker.started.length], [0, 0], message);
  }
});

const LACKS: [script: string, message: string, code?: number][] = [
  ['exec "$@" </dev/null', 'stdin does not arrive, so the CLI would get no prompt'],
  ['setsid --fork "$@" >/dev/null 2>&1 </dev/null', 'it exited at once, as one that detaches does'],
  ['exec setsid --fork "$@"', 'the exit code of the CLI does not arrive: have it wait for the CLI'],
  ['"$@" || true', 'the exit code of the CLI does not arrive'],
  ['cd /; exec "$@"', 'the working folder is not'],
  ['exec env -u TOLLGATE_CALL_ID "$@"', 'variables do not arrive: pass'],
  ['chmod -w "$TMPDIR"; rmdir "$TMPDIR"; exec "$@"', 'cannot be used: make it visible'],
  ['echo "no such image" >&2; exit 125', 'a shell could not be run'],
  ['PATH=/usr/bin:/bin; exec "$@"', 'codex is not found', 13],
];
for (const [script, message, expected = 2] of LACKS)
  test(`what does not reach the CLI is refused before anything is paid: ${script}`, async ({ rig }) => {
    rig.write('box.sh', `#!/bin/sh\ncase $* in *--version*) exit;; esac\n${script}\n`);
    spawnSync('chmod', ['+x', path.join(rig.project, 'box.sh')]);
    yaml(rig, { codex: { prefix: ['./box.sh'] } });
    const { code, stderr, record } = await call(rig);
    assert.is(code, expected, stderr);
    assert.match(stderr, message);
    assert.match(stderr, 'tools.codex.prefix of tollgate.yaml (');
    assert.is(record.ending, 'not_started');
    assert.is(rig.calls.length, 0);
    // Its private folders are gone too.
    assert.equal(
      readdirSync(rig.project).filter((name) => name.startsWith('.tollgate-')),
      [],
    );
    const { stdout } = await rig.start('preflight', ['--tools=codex', '--trust-workspace', '--quiet']).result;
    assert.match(stdout, /fail +codex prefix/, stdout);
  });

test('preflight and tools show a prefix', async ({ rig, docker }) => {
  yaml(rig, { codex: { prefix: DOCKER } });
  const { stdout } = await rig.start('preflight', ['--tools=codex', '--trust-workspace']).result;
  assert.match(stdout, /ok +codex prefix +docker run --rm …/);
  assert.match(stdout, /ok +codex version +0\.169\.0/);
  assert.is(docker.running.size, 0);
  const listed = await rig.run('tollgate', ['tools', '--json']);
  const { tools } = JSON.parse(listed.stdout) as { tools: { tool: string; prefix: string[] | null }[] };
  assert.equal(tools.find(({ tool }) => tool === 'codex')?.prefix, DOCKER);
  assert.is(tools.find(({ tool }) => tool === 'claude')?.prefix, null);
  assert.not(existsSync(path.join(rig.project, '.tmp/calls')));
});

test.run();
