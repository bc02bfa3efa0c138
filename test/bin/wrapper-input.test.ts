// What the wrapper commands refuse and leave: binaries and prompts that cannot be used, keys, children and late signals.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wrapperCommand } from '../../bin/wrapper/wrapper-command.ts';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { endHere } from '../rig/command-here.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper, usualFlags } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('wrapper input');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const TEXT = 'Nenne die Farben: grün, 青';
const LITTLE = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
const ENCODINGS: [string, Buffer][] = [
  ['UTF-16 LE', LITTLE],
  ['UTF-16 BE', Buffer.from(LITTLE).swap16()],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`, 'utf8')],
];

/** Calls the wrapper's function in this process, since a start for each of these arguments would take half of the file's time. */
async function refusal(rig: TestRig, tool: BuiltIn, flags: string[]): Promise<{ code: number | null; said: string }> {
  rig.write('ask.md', 'Say hello.\n');
  const { failure, badInput } = WRAPPER_EXIT[tool];
  const run = (argv: string[]) => wrapperCommand(ADAPTERS[tool], argv);
  const argv = [...usualFlags(tool), ...flags];
  const { code, stderr } = await endHere({ run, failure, badInput }, argv, { cwd: rig.project, env: rig.env });
  return { code, said: stderr };
}

/** How a prompt file is read does not depend on the CLI, and is tried with one of them. */
const ONE_OF_ALL = 'codex';

for (const tool of TOOLS) {
  const codes = WRAPPER_EXIT[tool];
  const { command } = ADAPTERS[tool];

  test(`${command}: the record is written before the tree is ended`, async ({ rig }) => {
    const running = runWrapper(rig, tool);
    const fake = await rig.call();
    await fake.tell(write(STREAMS[tool].opens(SESSION)), { do: 'trap', signals: ['SIGTERM'] });
    running.running.signal('SIGTERM');
    await fake.caught('SIGTERM');
    const early = JSON.parse(readFileSync(path.join(rig.project, `${tool}.json`), 'utf8'));
    assert.equal([early.ending, early.wrapper_exit_code], ['cancelled', 143]);
    await running.ended();
  });

  test(`${command}: a signal that comes after the complete answer does not undo it`, async ({ rig }) => {
    const running = runWrapper(rig, tool, ['--done-marker=done']);
    const fake = await rig.call();
    await fake.tell(answerWith(tool, 'done')[0]!, { do: 'trap', signals: ['SIGTERM'] });
    running.running.signal('SIGTERM');
    const { code, out, record } = await running.ended();
    assert.equal([code, out, record.verdict.class], [0, 'done', null]);
  });

  test(`${command}: children that outlive a CLI that ended by itself are found by their marker`, async ({ rig }) => {
    const running = runWrapper(rig, tool);
    const fake = await rig.call();
    await fake.spawn(['sleep', '600'], { detached: true });
    await fake.tell(...answerWith(tool, 'done'));
    const { code, record } = await running.ended();
    assert.equal([code, record.orphans_killed], [0, 1]);
    assert.equal(rig.survivors(), []);
  });

  const once = tool === ONE_OF_ALL ? test : null;

  for (const [encoding, bytes] of ENCODINGS)
    once?.(
      `${command}: a prompt in ${encoding} is sent as UTF-8, and its hash is that of the bytes sent`,
      async ({ rig }) => {
        writeFileSync(path.join(rig.project, 'prompt.md'), bytes);
        const running = runWrapper(rig, tool, ['--prompt-file=prompt.md']);
        const fake = await rig.call();
        assert.ok(fake.report.stdin.text.includes(TEXT), JSON.stringify(fake.report.stdin.text));
        await fake.tell(...answerWith(tool, 'done'));
        const { record } = await running.ended();
        assert.is(record.prompt_sha256, fake.report.stdin.sha256);
      },
    );

  test(`${command}: a prompt with NUL bytes exits ${codes.badInput}, and costs nothing`, async ({ rig }) => {
    writeFileSync(path.join(rig.project, 'prompt.md'), Buffer.from('name the colours', 'utf16le'));
    const { code, said } = await runWrapper(rig, tool, ['--prompt-file=prompt.md']).ended();
    assert.is(code, codes.badInput);
    assert.match(said, /NUL bytes.*iconv/);
  });

  test(`${command}: a missing binary exits ${codes.missingBinary}, with a record, and costs nothing`, async ({
    rig,
  }) => {
    rig.uninstall(tool);
    const { code, said, record } = await runWrapper(rig, tool).ended();
    assert.is(code, codes.missingBinary);
    assert.equal(
      [record.ending, record.verdict.class, record.verdict.reason],
      ['not_started', 'tooling', 'binary_missing'],
    );
    assert.match(
      said,
      `${ADAPTERS[tool].binary} is not on the PATH: install it (npm install -g ${ADAPTERS[tool].packageName})`,
    );
  });

  test(`${command}: a binary that cannot be started is tooling`, async ({ rig }) => {
    rig.uninstall(tool);
    writeFileSync(path.join(rig.bin, tool), '#!/no/such/interpreter\n');
    chmodSync(path.join(rig.bin, tool), 0o755);
    const { code, record } = await runWrapper(rig, tool).ended();
    assert.equal([code, record.ending, record.verdict.class], [codes.failure, 'not_started', 'tooling']);
  });

  // D9: the historical wrapper exited 1 for a flag without its value.
  const BAD: [what: string, flags: string[], message: RegExp][] = [
    ['a missing prompt file', ['--prompt-file=none.md'], /--prompt-file none\.md does not exist/],
    ['a folder as prompt file', ['--prompt-file=.'], /--prompt-file \. is a folder/],
    ['an unknown flag', ['--timeout=5'], /unknown flag --timeout; did you mean --timeout-ms\?/],
    ['a wrong number', ['--timeout-ms=5s'], /--timeout-ms takes a whole number from 1 to 1036800000, not "5s"/],
    [
      'a timeout over 12 days',
      ['--timeout-ms=1036800001'],
      /--timeout-ms takes a whole number from 1 to 1036800000, not/,
    ],
    [
      'an idle one too',
      ['--idle-timeout-ms=1036800001'],
      /--idle-timeout-ms takes a whole number from 1 to 1036800000/,
    ],
    ['a prompt with a dash', ['-v is what?'], /unknown flag -v; put -- before a prompt that begins with a dash/],
    ['a prompt with two dashes', ['--constructor me'], /unknown flag --constructor me; put -- before a prompt/],
    ['a flag that every object has', ['--constructor=x'], /unknown flag --constructor/],
    ['a flag without its value', ['--out'], /--out needs a value/],
    ['a model that looks like a flag', ['--model=-x'], /--model must be one line that does not begin with a dash/],
    ['a working folder that is none', ['--cwd=nowhere'], /--cwd: .*nowhere cannot be used \(ENOENT\)/],
    ['an --out that is a folder', ['--out=sub'], /--out .*sub is a folder; name a file/],
    ['an --out below a file', ['--out=ask.md/x'], /--out .*: its folder cannot be written \((ENOTDIR|EEXIST)\)/],
    ['a task id with a path in it', ['--task=..'], /--task: "\.\." is not a task id/],
    ['a stage without a task', ['--stage=x'], /--stage needs --task/],
    [
      'a stage that is no name',
      ['--task=fix', '--stage=2nd'],
      /--stage "2nd" must be 1 to 128 of a-z 0-9 _ - and begin with a letter/,
    ],
    [
      'an --out whose name leaves no room for its half',
      [`--out=sub/${'é'.repeat(120)}a.out`],
      /--out .*\.out: its name has 245 bytes, and at most 241 leave room for what is written beside it; give it a shorter one/,
    ],
    [
      'an --out whose event stream would have too long a name',
      [`--out=${'x'.repeat(240)}`],
      /the event stream beside --out .*\.raw: its name has 244 bytes, and at most 241 leave room/,
    ],
    ['a --result with too long a name', [`--result=${'x'.repeat(300)}`], /--result x+: its name has 300 bytes/],
    [
      'an --err whose path leaves no room',
      [`--err=${'d/'.repeat(2000)}${'x'.repeat(90)}`],
      /--err .*: its path has 4\d\d\d bytes, which leaves no room for what is written beside it; name a shorter one/,
    ],
  ];
  for (const [what, flags, message] of BAD)
    test(`${command}: ${what} exits ${codes.badInput} and costs nothing`, async ({ rig }) => {
      mkdirSync(path.join(rig.project, 'sub'));
      // A call that is made by mistake ends at once.
      rig.answer(() => answerWith(tool, 'fine'));
      const { code, said } = await refusal(rig, tool, flags);
      assert.equal([code, rig.calls.length], [codes.badInput, 0]);
      assert.match(said, message);
    });

  test(`${command}: a wrong flag ends its process with ${codes.badInput} too`, async ({ rig }) => {
    const { code, said } = await runWrapper(rig, tool, ['--timeout=5']).ended();
    assert.equal([code, rig.calls.length], [codes.badInput, 0]);
    assert.match(said, 'unknown flag --timeout; did you mean --timeout-ms?');
  });

  once?.(`${command}: a prompt file that is not a regular file, or far too large, is not read`, async ({ rig }) => {
    const file = (name: string) => path.join(rig.project, name);
    spawnSync('mkfifo', [file('pipe')]);
    symlinkSync('pipe', file('link'));
    rig.write('huge', '');
    truncateSync(file('huge'), 64 * 1024 ** 2 + 1);
    const rows: [name: string, errorClass: string, message: string][] = [
      ['pipe', 'tooling', '--prompt-file pipe: no writer finished it within 100 ms'],
      ['link', 'tooling', '--prompt-file link: no writer finished it within 100 ms'],
      ['/dev/null', 'tooling', '--prompt-file /dev/null is not a regular file and no pipe that was handed over'],
      ['huge', 'prompt_too_large', 'huge has 67108865 bytes, and a prompt has 67108864 at most'],
    ];
    for (const [name, errorClass, message] of rows) {
      const { code, said, record } = await runWrapper(rig, tool, [`--prompt-file=${name}`, '--timeout-ms=100']).ended();
      assert.equal([code, record.verdict.class, rig.calls.length], [codes.badInput, errorClass, 0]);
      assert.match(said, message);
    }
  });

  once?.(`${command}: a prompt file may be a symlink to one`, async ({ rig }) => {
    rig.answer(() => answerWith(tool, 'ok'));
    symlinkSync('ask.md', path.join(rig.project, 'link'));
    const { code } = await runWrapper(rig, tool, ['--prompt-file=link'], 'linked\n').ended();
    assert.equal([code, rig.calls[0]?.report.stdin.text], [0, 'linked\n']);
  });

  test(`${command}: an empty prompt exits ${codes.badInput} and costs nothing`, async ({ rig }) => {
    const { code, said } = await runWrapper(rig, tool, [], ' \n\n').ended();
    assert.equal([code, rig.calls.length], [codes.badInput, 0]);
    assert.match(said, 'ask.md is empty: there is nothing to ask');
  });

  test(`${command}: what an earlier call left does not pass for this one's`, async ({ rig }) => {
    for (const name of [`${tool}.out`, 'done']) rig.write(name, 'old');
    rig.answer(() => failWith(tool, 'no', 500));
    const { code, out } = await runWrapper(rig, tool, ['--done-marker=done']).ended();
    assert.equal([code, out], [codes.failure, null]);
    assert.is.not(readFileSync(path.join(rig.project, 'done'), 'utf8'), 'old');
  });

  test(`${command}: keys are redacted from stderr, event stream and record`, async ({ rig }) => {
    const key = `sk-${'a1B2c3D4'.repeat(4)}`;
    rig.answer(() => [
      { do: 'write', to: 'stderr', text: `Error: bad key ${key}\n` },
      ...failWith(tool, `Incorrect API key provided: ${key}`, 400),
    ]);
    const { err, raw, record, said } = await runWrapper(rig, tool).ended();
    for (const text of [err, raw, JSON.stringify(record), said]) assert.not(text?.includes(key));
    assert.match(err ?? '', 'Error: bad key [REDACTED');
  });
}

test('claude_headless: a folder that nobody trusts exits 42, and the CLI is not started', async ({ rig }) => {
  rig.write('../home/.claude.json', '{}');
  const { code, said, record } = await runWrapper(rig, 'claude').ended();
  assert.equal([code, rig.calls.length, record.verdict.class, record.verdict.reason], [42, 0, 'tooling', 'untrusted']);
  assert.match(said, 'if you trust it, add --trust-workspace');
  rig.answer(() => answerWith('claude', 'yes'));
  assert.is((await runWrapper(rig, 'claude', ['--trust-workspace']).ended()).code, 0);
});

test.run();
