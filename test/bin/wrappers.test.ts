// The three wrapper commands over fake CLIs: exit codes, endings, records, and nobody left behind.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../policies/exit-codes.ts';
import { TOOLS } from '../../policies/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('wrappers');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

for (const tool of TOOLS) {
  const codes = WRAPPER_EXIT[tool];
  const { command } = ADAPTERS[tool];

  test(`${command}: a success leaves the answer alone in --out, and a record`, async ({ rig }) => {
    rig.answer(() => answerWith(tool, 'The answer.\n'));
    const { code, said, record, out, raw } = await runWrapper(rig, tool, [
      '--done-marker=done',
      '--pid-file=pid',
      '--session-id-out=session',
    ]).ended();
    assert.equal([code, said, out], [0, '', 'The answer.\n']);
    assert.match(raw ?? '', 'The answer.');
    assert.equal(
      [record.ending, record.verdict.class, record.native_exit_code, record.session_id, record.answer_bytes],
      ['exited', null, 0, SESSION, 12],
    );
    const left = (name: string) => readFileSync(path.join(rig.project, name), 'utf8');
    assert.is(left('session'), `${SESSION}\n`);
    assert.equal(JSON.parse(left('done')), { exit_code: 0, class: null, reason: null });
    assert.match(left('pid'), /^\d+\n$/);
    // No private folder, no temporary file stays behind.
    assert.equal(
      readdirSync(rig.project).filter((name) => name.startsWith('.')),
      [],
    );
    assert.equal(readdirSync(rig.env.TMPDIR!), []);
  });

  test(`${command}: the prompt goes by stdin from a file, and is in no argument`, async ({ rig }) => {
    rig.answer(() => answerWith(tool, 'yes'));
    await runWrapper(rig, tool, [], 'a very particular prompt\n').ended();
    const { stdin, argv } = rig.calls[0]!.report;
    assert.equal([stdin.kind, stdin.text], ['file', 'a very particular prompt\n']);
    assert.not(argv.join(' ').includes('particular'));
  });

  // D1: the historical wrappers exited 12, 32, 12 and left the grandchild alive.
  test(`${command}: an enforced timeout exits ${codes.timeout}, and the grandchildren are gone too`, async ({
    rig,
  }) => {
    const running = runWrapper(rig, tool, ['--timeout-ms=1500']);
    const fake = await rig.call();
    await fake.tell(write(STREAMS[tool].opens(SESSION)), { do: 'trap', signals: ['SIGTERM', 'SIGINT', 'SIGHUP'] });
    await fake.spawn(['sleep', '600']);
    await fake.spawn(['sleep', '600'], { detached: true });
    const { code, said, record } = await running.ended();
    assert.is(code, codes.timeout);
    assert.equal([record.ending, record.verdict.class, record.verdict.reason], ['timed_out', 'transient', 'timeout']);
    assert.match(said, /^\w+: transient \(timeout\) after /);
    assert.is(record.orphans_killed, 2);
    assert.equal(rig.survivors(), []);
  });

  // D6: copilot exits 0 with 0 bytes, and the historical wrapper called that a success.
  test(`${command}: exit 0 with an empty answer is a failure`, async ({ rig }) => {
    const { opens, succeeds } = STREAMS[tool];
    rig.answer(() => [write([...opens(SESSION), ...succeeds(SESSION)]), { do: 'exit', code: 0 }]);
    const { code, record, out } = await runWrapper(rig, tool).ended();
    assert.equal(
      [code, record.verdict.class, record.verdict.reason, out],
      [codes.failure, 'transient', 'empty_answer', null],
    );
  });

  test(`${command}: exit 0 with nothing at all is a failure`, async ({ rig }) => {
    rig.answer(() => [{ do: 'exit', code: 0 }]);
    const { code, record } = await runWrapper(rig, tool).ended();
    assert.is(code, codes.failure);
    assert.is.not(record.verdict.class, null);
  });

  test(`${command}: a complete answer wins over a non-zero exit, with a warning`, async ({ rig }) => {
    rig.answer(() => [...answerWith(tool, 'done').slice(0, 1), { do: 'exit', code: 7 }]);
    const { code, record, out } = await runWrapper(rig, tool).ended();
    assert.equal([code, out, record.native_exit_code], [0, 'done', 7]);
    assert.ok(record.warnings.includes('the answer was complete, but the CLI ended with exit code 7'));
  });

  test(`${command}: a CLI that lingers after its result is ended, and the result counts`, async ({ rig }) => {
    const running = runWrapper(rig, tool);
    const fake = await rig.call();
    await fake.tell(answerWith(tool, 'done')[0]!);
    const { code, record, out } = await running.ended();
    assert.equal([code, out, record.ending, record.verdict.class], [0, 'done', 'lingered', null]);
    assert.equal(rig.survivors(), []);
  });

  test(`${command}: words in an answer never decide`, async ({ rig }) => {
    const text = 'HTTP 429 Too Many Requests; quota exceeded; 401 Unauthorized; context_length_exceeded';
    rig.answer(() => [{ do: 'write', to: 'stderr', text: 'a remark on 429\n' }, ...answerWith(tool, text)]);
    const { code, out } = await runWrapper(rig, tool).ended();
    assert.equal([code, out], [0, text]);
  });

  test(`${command}: an announced inner retry is cut and judged by its cause`, async ({ rig }) => {
    const running = runWrapper(rig, tool);
    const fake = await rig.call();
    const { opens, retries } = STREAMS[tool];
    const stderrToo =
      tool === 'gemini'
        ? [{ do: 'write', to: 'stderr', text: 'Attempt 1 failed with status 503. Retrying with backoff...\n' } as const]
        : [];
    await fake.tell(write([...opens(SESSION), ...retries('The engine is overloaded', 503)]), ...stderrToo);
    const { code, record } = await running.ended();
    assert.equal([code, record.ending, record.verdict.class], [codes.failure, 'retry_cut', 'transient']);
    assert.is(record.inner_retries, 1);
  });

  test(`${command}: --inner-retries allow lets the CLI go on`, async ({ rig }) => {
    const { opens, retries } = STREAMS[tool];
    rig.answer(() => [write([...opens(SESSION), ...retries('busy', 503)]), ...answerWith(tool, 'at last')]);
    const { code, out, record } = await runWrapper(rig, tool, ['--inner-retries=allow']).ended();
    assert.equal([code, out, record.ending], [0, 'at last', 'exited']);
  });

  test(`${command}: no byte for the idle limit ends the call`, async ({ rig }) => {
    const running = runWrapper(rig, tool, ['--idle-timeout-ms=700']);
    await (await rig.call()).tell(write(STREAMS[tool].opens(SESSION)));
    const { code, record } = await running.ended();
    assert.equal([code, record.ending, record.verdict.reason], [codes.timeout, 'idle', 'idle']);
  });

  test(`${command}: a flood over --max-output-bytes is ended`, async ({ rig }) => {
    const running = runWrapper(rig, tool, ['--max-output-bytes=1000000']);
    const fake = await rig.call();
    void fake.tell({ do: 'fill', to: 'stderr', bytes: 5_000_000 }, { do: 'hang' });
    const { code, record } = await running.ended();
    assert.equal([code, record.ending], [codes.failure, 'overflowed']);
    assert.equal(rig.survivors(), []);
  });

  test(`${command}: --max-turns ends a call that asks for one more`, async ({ rig }) => {
    const running = runWrapper(rig, tool, ['--max-turns=1', '--access=full']);
    const fake = await rig.call();
    const { opens, runsTool } = STREAMS[tool];
    void fake.tell(write([...opens(SESSION), ...runsTool('ok')]), { do: 'hang' });
    const { code, record } = await running.ended();
    assert.equal([code, record.ending], [codes.failure, 'max_turns']);
  });

  for (const [signal, exit] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)
    test(`${command}: ${signal} leaves a record, exits ${exit} and ends the tree`, async ({ rig }) => {
      const running = runWrapper(rig, tool, ['--done-marker=done']);
      const fake = await rig.call();
      await fake.tell(write(STREAMS[tool].opens(SESSION)));
      await fake.spawn(['sleep', '600'], { detached: true });
      running.running.signal(signal);
      const { code, record } = await running.ended();
      assert.equal([code, record.ending, record.wrapper_exit_code], [exit, 'cancelled', exit]);
      assert.equal(JSON.parse(readFileSync(path.join(rig.project, 'done'), 'utf8')).exit_code, exit);
      assert.equal(rig.survivors(), []);
    });

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
    ['a flag that every object has', ['--constructor=x'], /unknown flag --constructor/],
    ['a flag without its value', ['--out'], /--out needs a value/],
    ['a model that looks like a flag', ['--model=-x'], /--model must be one line that does not begin with a dash/],
    ['a working folder that is none', ['--cwd=nowhere'], /--cwd: .*nowhere cannot be used \(ENOENT\)/],
    ['an --out that is a folder', ['--out=sub'], /--out .*sub is a folder; name a file/],
    ['an --out below a file', ['--out=ask.md/x'], /--out .*: its folder cannot be written \((ENOTDIR|EEXIST)\)/],
    ['a task id with a path in it', ['--task=..'], /--task: "\.\." is no task id/],
    ['a stage without a task', ['--stage=x'], /--stage needs --task/],
  ];
  for (const [what, flags, message] of BAD)
    test(`${command}: ${what} exits ${codes.badInput} and costs nothing`, async ({ rig }) => {
      mkdirSync(path.join(rig.project, 'sub'));
      const { code, said } = await runWrapper(rig, tool, flags).ended();
      assert.equal([code, rig.calls.length], [codes.badInput, 0]);
      assert.match(said, message);
    });

  test(`${command}: a prompt file that is no regular file, or far too large, is not read`, async ({ rig }) => {
    const file = (name: string) => path.join(rig.project, name);
    spawnSync('mkfifo', [file('pipe')]);
    symlinkSync('pipe', file('link'));
    rig.write('huge', '');
    truncateSync(file('huge'), 64 * 1024 ** 2 + 1);
    const rows: [name: string, errorClass: string, message: string][] = [
      ['pipe', 'tooling', '--prompt-file pipe is no regular file: save the prompt in one'],
      ['link', 'tooling', '--prompt-file link is no regular file: save the prompt in one'],
      ['/dev/null', 'tooling', '--prompt-file /dev/null is no regular file: save the prompt in one'],
      ['huge', 'prompt_too_large', 'huge has 67108865 bytes, and a prompt has 67108864 at the most'],
    ];
    for (const [name, errorClass, message] of rows) {
      const { code, said, record } = await runWrapper(rig, tool, [`--prompt-file=${name}`]).ended();
      assert.equal([code, record.verdict.class, rig.calls.length], [codes.badInput, errorClass, 0]);
      assert.match(said, message);
    }
  });

  test(`${command}: a prompt file may be a symlink to one`, async ({ rig }) => {
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

test('run_codex: a prompt over 1,048,576 characters is refused before anything is paid', async ({ rig }) => {
  const { code, record } = await runWrapper(rig, 'codex', [], 'é'.repeat(1_048_577)).ended();
  assert.equal([code, record.verdict.class, rig.calls.length], [2, 'prompt_too_large', 0]);
});

test('run_codex: 1,048,576 characters are taken, however many bytes they are', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await runWrapper(rig, 'codex', [], 'é'.repeat(1_048_576)).ended()).code, 0);
});

test('gemini_headless: a prompt over 8 MiB is refused before it is cut', async ({ rig }) => {
  const { code, record } = await runWrapper(rig, 'gemini', [], 'x'.repeat(8 * 1024 * 1024 + 1)).ended();
  assert.equal([code, record.verdict.class, rig.calls.length], [11, 'prompt_too_large', 0]);
});

test('gemini_headless: native exit 42 is exit 14', async ({ rig }) => {
  rig.answer(() => [
    { do: 'write', to: 'stderr', text: 'Error resuming session: No previous sessions found for this project.\n' },
    { do: 'exit', code: 42 },
  ]);
  const { code, record } = await runWrapper(rig, 'gemini', ['--resume-session=x']).ended();
  assert.equal([code, record.verdict.class, record.native_exit_code], [14, 'tooling', 42]);
});

test('gemini_headless: what a prompt mentions or begins with is sent as text', async ({ rig }) => {
  rig.answer(() => answerWith('gemini', 'ok'));
  await runWrapper(rig, 'gemini', [], '/help me with @.env and a\\@b\n').ended();
  assert.is(rig.calls[0]!.report.stdin.text, '\n/help me with \\@.env and a\\@b\n');
});

test('copilot_tool: a prompt that begins with a slash is sent as text', async ({ rig }) => {
  rig.answer(() => answerWith('copilot', 'ok'));
  await runWrapper(rig, 'copilot', [], ' \n/compact this @file\n').ended();
  assert.is(rig.calls[0]!.report.stdin.text, '\u200b \n/compact this @file\n');
});

test('--timeout-mode wait_done only notes the deadline', async ({ rig }) => {
  const running = runWrapper(rig, 'codex', ['--timeout-ms=1000', '--timeout-mode=wait_done']);
  const fake = await rig.call();
  await fake.tell({ do: 'wait', ms: 1200 }, ...answerWith('codex', 'late'));
  const { code, record } = await running.ended();
  assert.is(code, 0);
  assert.ok(record.warnings.includes('the deadline of 1000 ms passed; it was only noted (--timeout-mode wait_done)'));
});

test('--exit-by-class gives the classes codes of their own', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'Quota exceeded. Check your plan and billing details.', 429));
  assert.is((await runWrapper(rig, 'codex', ['--exit-by-class']).ended()).code, 75);
});

test('--json prints the record, one object and nothing else', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const { stdout } = await runWrapper(rig, 'codex', ['--json']).running.result;
  assert.is(JSON.parse(stdout).schema, 1);
  assert.is(stdout.trimEnd().split('\n').length, 1);
});

test('a planted symlink at --out is replaced, not followed', async ({ rig }) => {
  const victim = rig.write('victim', 'mine');
  symlinkSync(victim, path.join(rig.project, 'codex.out'));
  rig.answer(() => answerWith('codex', 'ok'));
  const { out } = await runWrapper(rig, 'codex').ended();
  assert.equal([out, readFileSync(victim, 'utf8')], ['ok', 'mine']);
});

test('the marker is a chain for a call within a call', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  rig.write('ask.md', 'x');
  const running = rig.start('run_codex', ['--prompt-file=ask.md', '--out=o', '--err=e', '--result=r'], {
    env: { TOLLGATE_CALL_ID: 'outer' },
  });
  await running.result;
  const { call_id } = JSON.parse(readFileSync(path.join(rig.project, 'r'), 'utf8'));
  const { env } = rig.calls[0]!.report;
  assert.equal([env.TOLLGATE_CALL_ID, env.GEMINI_CLI_TOLLGATE_CALL_ID], [`outer/${call_id}`, `outer/${call_id}`]);
  assert.not(existsSync(env.TMPDIR!));
});

test.run();
