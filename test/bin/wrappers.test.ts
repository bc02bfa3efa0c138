// The three wrapper commands over fake CLIs: exit codes, endings and limits, and nobody left behind.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { answerWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { TOO_LATE, withinLimit } from '../rig/within-limit.ts';
import { runWrapper, type WrapperRun } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('wrappers');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** @param inTime whether all that has to come before its limit did. */
async function leftBy(call: WrapperRun, inTime: boolean) {
  const left = await call.ended();
  return inTime ? left : TOO_LATE;
}

/** What the runner does by itself, without the row of the CLI, is tried with one of them. */
const ONE_OF_ALL = 'codex';

for (const tool of TOOLS) {
  const codes = WRAPPER_EXIT[tool];
  const { command } = ADAPTERS[tool];
  const once = tool === ONE_OF_ALL ? test : null;

  test(`${command}: a success leaves the answer alone in --out, and a record; the prompt goes by stdin from a file, and is in no argument`, async ({
    rig,
  }) => {
    rig.answer(() => answerWith(tool, 'The answer.\n'));
    const flags = ['--done-marker=done', '--pid-file=pid', '--session-id-out=session'];
    const { code, said, record, out, raw } = await runWrapper(rig, tool, flags, 'a very particular prompt\n').ended();
    const { stdin, argv } = rig.calls[0]!.report;
    assert.equal([stdin.kind, stdin.text], ['file', 'a very particular prompt\n']);
    assert.not(argv.join(' ').includes('particular'));
    assert.equal([code, said, out], [0, '', 'The answer.\n']);
    assert.match(raw ?? '', 'The answer.');
    assert.equal(
      [record.ending, record.verdict.class, record.native_exit_code, record.session_id, record.answer_bytes],
      ['exited', null, 0, SESSION, 12],
    );
    const left = (name: string) => readFileSync(path.join(rig.project, name), 'utf8');
    assert.is(left('session'), `${SESSION}\n`);
    const { exit_code, class: none, reason, call_id, pid } = JSON.parse(left('done'));
    assert.equal([exit_code, none, reason, call_id, pid], [0, null, null, record.call_id, Number(left('pid'))]);
    assert.match(left('pid'), /^\d+\n$/);
    // No private folder, no temporary file stays behind.
    assert.equal(
      readdirSync(rig.project).filter((name) => name.startsWith('.')),
      [],
    );
    assert.equal(readdirSync(rig.env.TMPDIR!), []);
  });

  // D1: the historical wrappers exited 12, 32, 12 and left the grandchild alive.
  test(`${command}: an enforced timeout exits ${codes.timeout}, and the grandchildren are gone too`, async ({
    rig,
  }) => {
    const { code, said, record } = await withinLimit(1500, async (limitMs, isOver) => {
      const call = runWrapper(rig, tool, [`--timeout-ms=${limitMs}`]);
      const fake = await rig.callBefore(call.running.result);
      const came = await fake?.did(
        write(STREAMS[tool].opens(SESSION)),
        { do: 'trap', signals: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
        { do: 'spawn', argv: ['sleep', '600'] },
        { do: 'spawn', argv: ['sleep', '600'], detached: true },
      );
      return leftBy(call, came === true && !isOver());
    });
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

  test(`${command}: a complete answer wins over a non-zero exit, with a warning, whatever its words are`, async ({
    rig,
  }) => {
    const text = 'HTTP 429 Too Many Requests; quota exceeded; 401 Unauthorized; context_length_exceeded';
    rig.answer(() => [
      { do: 'write', to: 'stderr', text: 'a remark on 429\n' },
      ...answerWith(tool, text).slice(0, 1),
      { do: 'exit', code: 7 },
    ]);
    const { code, record, out } = await runWrapper(rig, tool).ended();
    assert.equal([code, out, record.native_exit_code], [0, text, 7]);
    assert.ok(record.warnings.includes('the answer was complete, but the CLI ended with exit code 7'));
  });

  once?.(`${command}: a CLI that lingers after its result is ended, and the result counts`, async ({ rig }) => {
    const running = runWrapper(rig, tool);
    const fake = await rig.call();
    await fake.tell(answerWith(tool, 'done')[0]!);
    const { code, record, out } = await running.ended();
    assert.equal([code, out, record.ending, record.verdict.class], [0, 'done', 'lingered', null]);
    assert.equal(rig.survivors(), []);
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

  test(`${command}: --inner-retries allow lets the CLI continue`, async ({ rig }) => {
    const { opens, retries } = STREAMS[tool];
    rig.answer(() => [write([...opens(SESSION), ...retries('busy', 503)]), ...answerWith(tool, 'at last')]);
    const { code, out, record } = await runWrapper(rig, tool, ['--inner-retries=allow']).ended();
    assert.equal([code, out, record.ending], [0, 'at last', 'exited']);
  });

  once?.(`${command}: no byte for the idle limit ends the call`, async ({ rig }) => {
    const { code, record } = await withinLimit(700, async (limitMs, isOver) => {
      const call = runWrapper(rig, tool, [`--idle-timeout-ms=${limitMs}`]);
      const fake = await rig.callBefore(call.running.result);
      const came = await fake?.did(write(STREAMS[tool].opens(SESSION)));
      return leftBy(call, came === true && !isOver());
    });
    assert.equal([code, record.ending, record.verdict.reason], [codes.timeout, 'idle', 'idle']);
  });

  once?.(`${command}: not a single byte for the start limit ends the call; one byte is a start`, async ({ rig }) => {
    const silent = runWrapper(rig, tool, ['--start-timeout-ms=500']);
    await rig.callBefore(silent.running.result);
    const { code, record, said } = await silent.ended();
    assert.equal(
      [code, record.ending, record.verdict.class, record.verdict.reason],
      [codes.timeout, 'idle', 'transient', 'silent_start'],
    );
    assert.match(
      said,
      /: it wrote nothing within \S+ s; give it more time with --start-timeout-ms \(now \d+\)\. Next: check the installation and the sign-in of \S+, without a paid call: `/,
    );
    const begun = await withinLimit(500, async (limitMs, isOver) => {
      const limits = [`--start-timeout-ms=${limitMs}`, `--timeout-ms=${3 * limitMs}`];
      const call = runWrapper(rig, tool, limits);
      const fake = await rig.callBefore(call.running.result);
      const came = await fake?.did({ do: 'write', to: 'stderr', text: '.' });
      return leftBy(call, came === true && !isOver());
    });
    assert.is(begun.record.ending, 'timed_out');
  });

  once?.(`${command}: a flood over --max-output-bytes is ended`, async ({ rig }) => {
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
    once?.(`${command}: ${signal} leaves a record, exits ${exit} and ends the tree`, async ({ rig }) => {
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
}

/** gemini asks for another answer each time that a hook blocks one, without a limit of its own. */
const blockedAnswers = (times: number) =>
  Array.from({ length: times }, () => [
    { type: 'message', role: 'assistant', content: 'too early', delta: true },
    { type: 'error', severity: 'warning', message: 'Agent execution blocked: run the tests' },
  ]).flatMap((facts) => facts.map((fact) => JSON.stringify(fact)));

test('a hook that blocks every answer of gemini ends the call at the ninth, and is named', async ({ rig }) => {
  for (const flags of [[], ['--inner-retries=allow']]) {
    const running = runWrapper(rig, 'gemini', flags);
    const fake = await rig.call();
    await fake.tell(write([...STREAMS.gemini.opens(SESSION), ...blockedAnswers(9)]));
    const { code, record, out } = await running.ended();
    assert.equal([code, out, record.ending, record.verdict.reason], [12, null, 'retry_cut', 'hook_stopped']);
    assert.is(record.verdict.evidence?.text, 'Agent execution blocked: run the tests');
  }
  rig.answer(() => [
    write([...STREAMS.gemini.opens(SESSION), ...blockedAnswers(8)]),
    ...answerWith('gemini', 'tested'),
  ]);
  const passed = await runWrapper(rig, 'gemini').ended();
  assert.equal([passed.code, passed.out], [0, 'tested']);
});

test.run();
