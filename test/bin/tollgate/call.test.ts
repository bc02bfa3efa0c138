// tollgate call, with a shell script in five lines of YAML: the same guarantees as the wrappers, and clear words where it is described wrongly.

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import type { CommandResult } from '../../rig/running-command.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { TOO_LATE, withinLimit } from '../../rig/within-limit.ts';

const test = suite<{ rig: TestRig }>('tollgate call');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const TRUST = '--trust-workspace';

/** Describes `mine` as a script that does that, and counts how often it was started. */
function describe(rig: TestRig, script: string, more = ''): void {
  chmodSync(rig.write('mine.sh', `#!/bin/sh\necho started >> '${path.join(rig.root, 'started')}'\n${script}\n`), 0o755);
  rig.write('tollgate.yaml', `tools:\n  mine:\n    binary: ./mine.sh\n${more}`);
}

const timesStarted = (rig: TestRig): number => {
  const file = path.join(rig.root, 'started');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

async function call(rig: TestRig, ...flags: string[]) {
  return endOf(rig, (argv) => rig.run('tollgate', argv), flags);
}

async function endOf(rig: TestRig, start: (argv: string[]) => Promise<CommandResult>, flags: readonly string[]) {
  rig.write('ask.md', 'Say hello.\n');
  const usual = ['--prompt-file=ask.md', '--out=a.out', '--err=a.err', '--result=a.json'];
  const { code, stderr } = await start(['call', 'mine', ...usual, ...flags]);
  const read = (name: string) => {
    const file = path.join(rig.project, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  const record = JSON.parse(read('a.json') ?? 'null') as CallRecord | null;
  return { code, stderr, record, out: read('a.out'), raw: read('a.raw') };
}

/** The script says by a file that it has come to where its time is to end it. */
const callOverItsTime = (rig: TestRig) =>
  withinLimit(1500, async (limitMs) => {
    const ended = await call(rig, TRUST, `--timeout-ms=${limitMs}`);
    return existsSync(path.join(rig.project, 'standing')) ? ended : TOO_LATE;
  });

test('a script: the prompt on stdin, the answer on stdout', async ({ rig }) => {
  describe(rig, 'cat');
  const { code, out, record } = await call(rig, TRUST);
  assert.equal([code, out, record!.verdict.class, record!.tool], [0, 'Say hello.\n', null, 'mine']);
  assert.match(record!.tool_sha256!, /^[0-9a-f]{64}$/);
  assert.is(record!.tool_calls, null);
});

test('without trust nothing is started', async ({ rig }) => {
  describe(rig, 'cat');
  const { code, stderr, record } = await call(rig);
  assert.equal([code, record, timesStarted(rig)], [2, null, 0]);
  assert.match(
    stderr,
    /tollgate\.yaml describes mine, and that counts only in a trusted workspace: if you trust it, add --trust-workspace, or run `tollgate trust` there once/,
  );
});

test('a name that is not known has the nearest one', async ({ rig }) => {
  rig.write('tollgate.yaml', 'tools:\n  mien:\n    binary: x\n');
  assert.match(
    (await call(rig, TRUST)).stderr,
    /there is no CLI "mine"; .*, mien\. Did you mean mien\? Use: tollgate call mien …\n$/,
  );
});

test('what it says on stderr tells why it failed', async ({ rig }) => {
  describe(rig, 'echo "Error: 401 Unauthorized: Incorrect API key provided" >&2; exit 7');
  const { code, record } = await call(rig, TRUST);
  assert.equal([code, record!.verdict.class, record!.native_exit_code], [12, 'auth', 7]);
});

test("a line of codex' header hides nothing of what another CLI says", async ({ rig }) => {
  const says = 'echo "OpenAI Codex v0.169.0" >&2; echo "401 Unauthorized: Incorrect API key provided" >&2; exit 1';
  describe(rig, says);
  assert.is((await call(rig, TRUST)).record!.verdict.class, 'auth');
  chmodSync(rig.write('codex', `#!/bin/sh\n${says}\n`), 0o755);
  rig.write('tollgate.yaml', 'tools:\n  mine:\n    binary: ./codex\n');
  assert.is((await call(rig, TRUST)).record!.verdict.class, 'unknown');
});

test('the row says its own exit codes', async ({ rig }) => {
  describe(rig, 'exit 7', '    exits: { failure: 77, bad_input: 78 }\n    access: { read: [] }\n');
  assert.is((await call(rig, TRUST)).code, 77);
  const { code, stderr } = await call(rig, TRUST, '--access=write');
  assert.is(code, 78);
  assert.match(stderr, /--access write: tools\.mine of tollgate\.yaml describes read alone/);
  assert.is((await call(rig, TRUST, '--model=m')).code, 78);
  assert.is(timesStarted(rig), 1);
});

test('a builtin of the shell is not a program', async ({ rig }) => {
  rig.write('tollgate.yaml', 'tools:\n  mine:\n    binary: cd\n');
  const { code, stderr } = await call(rig, TRUST);
  assert.is(code, 10);
  assert.match(stderr, /cd is a builtin of the shell and no program.*write a script/);
});

test('an answer that never comes is a mistake of the description, kept and not asked for again', async ({ rig }) => {
  describe(rig, `echo '{"other":"Hello."}'`, '    output: json\n    document: { answer: text }\n');
  const { code, record, raw } = await call(rig, TRUST);
  assert.equal([code, record!.verdict.class, record!.verdict.reason], [12, 'tooling', 'no_answer_field']);
  assert.is(raw, '{"other":"Hello."}\n');
});

test('more than may be printed is ended, and nobody survives', async ({ rig }) => {
  describe(rig, 'cat /dev/zero & cat /dev/zero');
  const { code, record } = await call(rig, TRUST, '--max-output-bytes=3000000');
  assert.equal([code, record!.verdict.reason], [12, 'output_overflow']);
  assert.equal(rig.survivors(), []);
});

test('a deadline ends it and all that it started', async ({ rig }) => {
  describe(rig, 'setsid sleep 600 & sleep 600 & : > standing; wait');
  const { code, record } = await callOverItsTime(rig);
  assert.equal([code, record!.ending], [13, 'timed_out']);
  assert.equal(rig.survivors(), []);
});

const OUTPUTS: [what: string, script: string, more: string][] = [
  ['text', 'echo half', ''],
  ['a file', 'echo half > "$1"', "    output: file\n    argv: ['{answer_file}']\n"],
  ['lines', `echo '{"a":"half"}'`, '    output: lines\n    events: [{ answer: a }]\n'],
  ['a whole document', `echo '{"a":"whole"}'`, '    output: json\n    document: { answer: a }\n'],
];
for (const [what, script, more] of OUTPUTS)
  test(`${what}: exit code 0 of a CLI that was ended is no success`, async ({ rig }) => {
    const trapped = (then: string) =>
      `trap 'exit 0' TERM INT\n${script}\n: > standing\n${then}\nwhile :; do sleep 0.1; done`;
    describe(rig, trapped(''), more);
    const late = await callOverItsTime(rig);
    assert.equal([late.code, late.record!.verdict.class, late.record!.ending], [13, 'transient', 'timed_out']);
    describe(rig, trapped('kill -INT $PPID'), more);
    // The script signals the process that has started it.
    const told = await endOf(rig, (argv) => rig.start('tollgate', argv).result, [TRUST]);
    assert.equal([told.code, told.record!.verdict.class, told.record!.ending], [130, 'transient', 'cancelled']);
  });

test('a whole document of a CLI that a signal ended is no success', async ({ rig }) => {
  describe(rig, `echo '{"a":"whole"}'; kill -9 $$`, '    output: json\n    document: { answer: a }\n');
  const { code, record } = await call(rig, TRUST);
  assert.equal([code, record!.ending, record!.signal], [12, 'signalled', 'SIGKILL']);
});

test('a line that was cut is no success, though the CLI says that it is one', async ({ rig }) => {
  const lines = '{"a":"Hello"}\\n{"a":" wor\\n{"a":"!","end":true}\\n';
  const more = '    output: lines\n    events: [{ piece: a }, { when: { end: true }, completed: true }]\n';
  describe(rig, `printf '${lines}'`, more);
  const { code, record } = await call(rig, TRUST);
  assert.equal([code, record!.verdict.class, record!.verdict.reason], [12, 'transient', 'cut_answer']);
  assert.match(record!.verdict.evidence!.text, /a line is not a whole object: \{"a":" wor/);
});

test('a link in the place of the answer is told, and not asked for again', async ({ rig }) => {
  describe(rig, 'cat > real.md; ln -s "$PWD/real.md" "$1"', "    output: file\n    argv: ['{answer_file}']\n");
  const { code, record } = await call(rig, TRUST);
  assert.equal([code, record!.verdict.class, record!.verdict.reason], [12, 'tooling', 'no_answer_field']);
});

test('an answer by file may be as large as one that is printed', async ({ rig }) => {
  describe(rig, 'head -c 17000000 /dev/zero | tr "\\0" a > "$1"', "    output: file\n    argv: ['{answer_file}']\n");
  const { code, out } = await call(rig, TRUST);
  assert.equal([code, out!.length], [0, 17_000_000]);
});

test('prompt and answer by file, words of a mode, variables, and its session', async ({ rig }) => {
  const more = `    prompt: file
    output: file
    argv: ['{prompt_file}', '{answer_file}', [--in, '{session}'], [--model, '{model}']]
    environment: { MINE: 'of {model}' }
    access: { read: [--look] }
`;
  describe(rig, '{ cat "$1"; shift 2; echo "$MINE: $*"; cat; } > "$2.new"; mv "$2.new" "$2"', more);
  describe(rig, 'prompt=$1; answer=$2; shift 2; { cat "$prompt"; echo "$MINE: $*"; cat; } > "$answer"', more);
  const { code, out } = await call(rig, TRUST, '--model=m1', '--resume-session=s1');
  assert.equal([code, out], [0, 'Say hello.\nof m1: --in s1 --model m1 --look\n']);
});

test('a built-in CLI is called as by its own wrapper', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'Hello.'));
  rig.write('ask.md', 'Say hello.\n');
  const { code } = await rig.run('tollgate', ['call', 'codex', '--prompt-file=ask.md', '--out=a.out', '--err=a.err']);
  assert.equal([code, readFileSync(path.join(rig.project, 'a.out'), 'utf8')], [0, 'Hello.']);
});

test('the next command of a prompt with a secret is not printed, since it would pay for another prompt', async ({
  rig,
}) => {
  rig.answer(() => failWith('codex', 'overloaded', 503));
  const run = async (prompt: string) =>
    (await rig.run('tollgate', ['call', 'codex', prompt], { env: { API_TOKEN: 'a-secret-of-mine' } })).stderr;
  assert.match(await run('Say it.'), "`tollgate call codex 'Say it.'`");
  const hidden = await run('Is a-secret-of-mine valid?');
  assert.match(hidden, 'call it with the same arguments');
  assert.not.match(hidden, '`tollgate call');
  const [line, ...more] = (await run('Say it.\nTwice.'))
    .trim()
    .split('\n')
    .filter((one) => !one.startsWith('files: '));
  assert.match(line!, 'call it with the same arguments');
  assert.equal(more, []);
});

const STAGES = [{ tool: 'mine', role: 'review', id: 'one', requires: [], min_lines: 0 }];

test('a stage may name it: journal, budget and record, as of any other', async ({ rig }) => {
  describe(rig, 'cat >/dev/null; echo Hello.');
  makeTask(rig, { stages: STAGES });
  assert.is((await rig.run('tollgate', ['run', 'fix', TRUST])).code, 0);
  assert.is((await rig.run('tollgate', ['run', 'fix', TRUST])).code, 0);
  assert.is(timesStarted(rig), 1);
  const untrusted = await rig.start('tollgate', ['run', 'fix', '--redo=one']).result;
  assert.equal([untrusted.code, timesStarted(rig)], [2, 1]);
  assert.match(untrusted.stderr, /manifest\.\w+:\d+: stages\[0\]\.tool is mine, which tollgate\.yaml describes/);
});

test('its agent does not change how it is called: its dispatcher has read it', async ({ rig }) => {
  describe(
    rig,
    `cat >/dev/null; printf 'tools:\\n  mine:\\n    binary: ./other.sh\\n' > '${path.join(rig.project, 'tollgate.yaml')}'; echo Hello.`,
  );
  makeTask(rig, { stages: STAGES });
  const before = readFileSync(path.join(rig.project, 'tollgate.yaml'), 'utf8');
  await rig.start('tollgate', ['run', 'fix', TRUST]).result;
  assert.is(timesStarted(rig), 1);
  assert.is(readFileSync(path.join(rig.project, 'tollgate.yaml'), 'utf8'), before);
});

test('tollgate tools lists it beside the built-in ones, and starts nothing', async ({ rig }) => {
  describe(rig, 'cat', '    access: { read: [] }\n');
  const { code, stdout } = await rig.run('tollgate', ['tools', '--json']);
  const { tools } = JSON.parse(stdout);
  const mine = tools.find(({ tool }: { tool: string }) => tool === 'mine');
  assert.equal([code, timesStarted(rig), mine.kind, mine.access], [0, 0, 'described', ['read']]);
  assert.is(mine.binary, path.join(rig.project, 'mine.sh'));
});

test('a row with a mistake is told, and the others are listed and checked', async ({ rig }) => {
  describe(rig, 'cat', '  theirs:\n    binry: x\n');
  const { code, stdout, stderr } = await rig.run('tollgate', ['tools', '--json']);
  const names = JSON.parse(stdout).tools.map(({ tool }: { tool: string }) => tool);
  assert.equal([code, names.includes('mine'), names.includes('theirs')], [2, true, false]);
  assert.match(stderr, /tollgate\.yaml:5: tools\.theirs\.binry is unknown; did you mean binary\?/);
  const checked = await rig.start('preflight', [TRUST, '--quick', '--json']).result;
  const findings: { check: string; status: string; found: string }[] = JSON.parse(checked.stdout).findings;
  const statusOf = (check: string) => findings.find((one) => one.check === check)?.status;
  assert.equal([checked.code, statusOf('mine command'), statusOf('tollgate.yaml')], [1, 'ok', 'fail']);
  const asked = await rig.start('preflight', ['--tools=theirs', TRUST]).result;
  assert.is(asked.code, 2);
  assert.match(asked.stderr, /tools\.theirs\.binry is unknown/);
  rig.write('tollgate.yaml', 'tools: [\n');
  const broken = await rig.run('tollgate', ['tools']);
  assert.equal([broken.code, broken.stdout.includes('run_codex')], [2, true]);
});

test('preflight looks for it in a trusted workspace', async ({ rig }) => {
  describe(rig, 'cat');
  const { stdout, code } = await rig.start('preflight', ['--tools=mine', TRUST, '--json']).result;
  const found = JSON.parse(stdout).findings.filter(({ check }: { check: string }) => check.startsWith('mine'));
  assert.equal([code, found.length, found[0].status, timesStarted(rig)], [0, 1, 'ok', 0]);
  assert.is((await rig.start('preflight', ['--tools=mine']).result).code, 2);
});

test.run();
