// Acceptance commands with a real shell: how they end, what is told of them, and that nothing of them survives.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runAcceptance } from '../../../loops/gate/acceptance.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import { waitForChange } from '../../../state/wait-for-change.ts';
import { endSurvivors, findSurvivors } from '../../rig/survivors.ts';
import { TOO_LATE, withinLimit } from '../../rig/within-limit.ts';
import { type Gated, openGated } from './gated.ts';

const test = suite('acceptance');
let gated: Gated;
let marker: string;

function open(timeout_ms: number): void {
  gated = openGated({ acceptance: { timeout_ms } });
  marker = `GATE_TEST=${path.basename(gated.root)}`;
}

test.before.each(() => open(60_000));
test.after.each(async () => {
  await endSurvivors(marker);
  gated.dispose();
});

const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  GATE_TEST: path.basename(gated.root),
  ...more,
});

const ask = (commands: string[], given: object = {}) =>
  gated.ask('', { acceptanceCommands: commands, environment: environment(), ...given });

const log = () => readFileSync(path.join(gated.root, 'task/t1/outputs/codex_verify.acceptance.log'), 'utf8');

test('all commands are run in the tree, and both streams of each stand in the log as they came', async () => {
  const commands = ['pwd; echo to stderr >&2; echo again', 'test -f "$HOME" || cat; exit 3', 'no-such-command'];
  const accepted = await runAcceptance(ask(commands));
  assert.equal(
    accepted.acceptance.map(({ command, ending, exit_code, signal }) => ({ command, ending, exit_code, signal })),
    commands.map((command, i) => ({ command, ending: 'exited', exit_code: [0, 3, 127][i], signal: null })),
  );
  assert.equal('finding' in accepted && accepted.finding, {
    check: 'acceptance',
    class: 'contract_violation',
    reason: 'acceptance_failed',
    missing: ['test -f "$HOME" || cat; exit 3 (exit 3)', 'no-such-command (exit 127, not found)'],
    text: 'acceptance failed: test -f "$HOME" || cat; exit 3 (exit 3), without a word',
    next_actions: [
      toDo(`find the cause in ${gated.root}/task/t1/outputs/codex_verify.acceptance.log, which has the whole output`),
    ],
  });
  const lines = log()
    .replace(/, [\d.]+ s$/gm, ', T')
    .replace(/^.*no-such-command: .*not found$/m, 'NOT FOUND');
  assert.is(
    lines,
    [
      '=== pwd; echo to stderr >&2; echo again (exit 0), T',
      gated.tree,
      'to stderr',
      'again',
      '=== test -f "$HOME" || cat; exit 3 (exit 3), T',
      '=== no-such-command (exit 127, not found), T',
      'NOT FOUND',
      '',
    ].join('\n'),
  );
  assert.is(statSync(accepted.acceptance[0]!.output).mode & 0o777, 0o600);
  assert.equal(readdirSync(path.join(gated.root, 'task/t1/state/attempts/call-1')), []);
});

test('of a long output the end is told, in so few characters that nobody cuts it', async () => {
  const accepted = await runAcceptance(
    ask([`for i in $(seq 200); do echo "line $i is fine"; done; echo BROKEN; exit 1`]),
  );
  const text = ('finding' in accepted && accepted.finding?.text) || '';
  assert.is(text.length, 300);
  assert.match(text, /, whose last lines are:\n….*\nline 199 is fine\nline 200 is fine\nBROKEN$/s);
});

test('no command at all, and commands that succeed, find nothing', async () => {
  for (const commands of [[], ['true', 'echo fine']]) {
    const accepted = await runAcceptance(ask(commands));
    assert.equal([accepted.how, 'finding' in accepted && accepted.finding], ['ran', null]);
  }
});

test('one that hangs is ended with all that it started, wherever it went', async () => {
  const hang = [
    "trap '' TERM",
    'for i in 1 2 3; do sleep 600 & done',
    '(sleep 600 & sleep 600) &',
    'setsid sleep 600 &',
    "setsid sh -c 'sleep 600 & sleep 600' &",
    '(setsid sh -c "sleep 600 &" &)',
    'echo started; wait; sleep 600',
  ].join('\n');
  const accepted = await withinLimit(700, async (limitMs) => {
    gated.dispose();
    open(limitMs);
    const ran = await runAcceptance(ask([hang, 'echo next']));
    return /^started$/m.test(log()) ? ran : TOO_LATE;
  });
  assert.equal(
    accepted.acceptance.map(({ ending, exit_code }) => [ending, exit_code]),
    [
      ['timed_out', null],
      ['exited', 0],
    ],
  );
  assert.match(('finding' in accepted && accepted.finding?.missing[0]) || '', /\(timed out after [\d.]+ s\)$/);
  assert.match(log(), /started\n/);
  assert.equal(findSurvivors(marker), []);
});

test('what one that ended left behind is ended', async () => {
  const accepted = await runAcceptance(ask(['(setsid sh -c "sleep 600 & sleep 600" &) ; sleep 600 & exit 0']));
  assert.equal([accepted.how, 'finding' in accepted && accepted.finding], ['ran', null]);
  assert.equal(findSurvivors(marker), []);
});

test('one that floods is ended, and the log holds as much as it may', async () => {
  const accepted = await runAcceptance(ask(['yes 0123456789abcdef']));
  assert.equal(accepted.acceptance[0]!.ending, 'overflowed');
  assert.equal('finding' in accepted && accepted.finding?.missing, ['yes 0123456789abcdef (output over 16 MiB)']);
  const text = log();
  assert.ok(text.length > 16 * 1024 * 1024 && text.length < 16 * 1024 * 1024 + 200);
  assert.match(text.slice(-100), /=== \d+ more bytes are omitted\n$/);
});

test('one that is killed, cannot be passed on, or finds no folder', async () => {
  const killed = await runAcceptance(ask(['kill -9 $$']));
  assert.equal('finding' in killed && killed.finding?.missing, ['kill -9 $$ (ended by SIGKILL)']);
  const long = await runAcceptance(ask([`: ${'x'.repeat(200_000)}`, 'a\0b', 'true']));
  assert.equal(
    long.acceptance.map(({ ending }) => ending),
    ['not_started', 'not_started', 'exited'],
  );
  assert.match(
    ('finding' in long && long.finding?.missing.join('\n')) || '',
    /^: x+… \(not started: spawn E2BIG\)\na\0b \(not started: it holds a zero byte\)$/,
  );
  const nowhere = await runAcceptance(ask(['true'], { cwd: path.join(gated.root, 'gone') }));
  assert.equal(nowhere.acceptance[0]!.ending, 'not_started');
});

test('secrets are neither handed on nor told', async () => {
  const given = {
    A_TOKEN: 'tok-verysecret',
    TOLLGATE_STATE: '/state',
    OPENAI_BASE_URL: 'http://x',
    DATABASE: 'tok-verysecret@db',
    PLAIN: 'yes',
  };
  const accepted = await runAcceptance(
    ask(['env | sort; echo tok-very""secret; exit 1'], { environment: environment(given) }),
  );
  const names = log().match(/^\w+(?==)/gm)!;
  assert.equal(
    names.filter((name) => !/^(PWD|SHLVL|OLDPWD|_)$/.test(name)),
    ['GATE_TEST', 'GEMINI_CLI_TOLLGATE_CALL_ID', 'PATH', 'PLAIN', 'TOLLGATE_CALL_ID'],
  );
  assert.not.match(log() + JSON.stringify(accepted), /tok-verysecret/);
  assert.match(('finding' in accepted && accepted.finding?.text) || '', /\n\[REDACTED:A_TOKEN\]$/);
  // Nor by half, where a long command is cut.
  const cut = await runAcceptance(ask([`: ${'x'.repeat(110)} tok-verysecret; exit 1`]));
  assert.not.match(log() + JSON.stringify(cut), /tok-/);
});

test('a stop ends what runs and starts nothing more', async () => {
  const stop = new AbortController();
  const running = runAcceptance(ask(['true', 'echo go >ready; sleep 600', 'echo never >late'], { stop: stop.signal }));
  while (!existsSync(path.join(gated.tree, 'ready')))
    await waitForChange(path.join(gated.tree, 'ready'), 50, stop.signal);
  stop.abort();
  const accepted = await running;
  assert.equal([accepted.how, accepted.acceptance.map(({ ending }) => ending)], ['stopped', ['exited', 'cancelled']]);
  assert.not.ok(existsSync(path.join(gated.tree, 'late')));
  assert.equal(findSurvivors(marker), []);
  assert.match(log(), /=== echo go >ready; sleep 600 \(stopped\)/);
});

test('what a gate that died left running is ended by the next one', async () => {
  mkdirSync(path.join(gated.root, 'task/t1/state/attempts/call-1/gate-acceptance'), { recursive: true });
  const bears = { ...environment(), TOLLGATE_CALL_ID: 'call-1/gate-acceptance' };
  const left = spawn('sleep', ['600'], { env: bears, detached: true, stdio: 'ignore' });
  const gone = once(left, 'exit');
  assert.is((await runAcceptance(ask(['true']))).how, 'ran');
  assert.equal(await gone, [null, 'SIGTERM']);
});

test.run();
