// The summary of each reason that a call can fail for, whole, as its file in reason-summaries/ has it. To write them anew: GOLDEN=write.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { untouched } from '../../loops/run/stages.ts';
import { writeReport } from '../../loops/run/write-report.ts';
import { failureOf } from '../../loops/task/failure.ts';
import { openTask } from '../../loops/task/task.ts';
import { type ErrorClass, OWN_REASONS, type OwnReason } from '../../policies/facts/classes.ts';
import { UNKNOWN_USAGE } from '../../policies/facts/engine-event.ts';
import type { Ending, Evidence, Verdict } from '../../policies/facts/evidence.ts';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { type BuiltIn, isBuiltIn } from '../../policies/facts/tools.ts';
import { CALL_RECORD_SCHEMA, type CallRecord } from '../../policies/report/call-record.ts';
import { ENDING_RULES, LEFTOVERS, LOST, SILENT_START, TOO_LARGE } from '../../policies/rules/endings.ts';
import type { Rule, Said } from '../../policies/rules/rule.ts';
import { RULES } from '../../policies/rules/rules.ts';
import { sign } from '../../policies/signature/sign.ts';
import { classify } from '../../policies/verdict/classify.ts';
import { decide } from '../../policies/verdict/decide.ts';
import { RETRY_TABLE } from '../../policies/verdict/retry.ts';
import { contextIn } from '../rig/run-settings.ts';
import { SESSION } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const FOLDER = path.join(import.meta.dirname, 'reason-summaries');
const AT = new Date('2026-01-02T03:04:05.000Z');
const CLOCK = { now: AT, timeZone: 'UTC' } as const;

interface Scene {
  tool: BuiltIn;
  verdict: Verdict & { class: ErrorClass };
  ending: Ending;
  exitCode: number | null;
  signal: string | null;
}

const NOTHING: Omit<Evidence, 'tool'> = {
  ending: 'exited',
  exitCode: 1,
  signal: null,
  completed: false,
  answerChars: 0,
  failure: null,
  errors: [],
  retried: null,
  stderr: [],
  remarks: [],
  obstacle: null,
  tokens: null,
};

/** Of each reason the first row that gives it, said as that row proves it. */
function scenes(): Map<string, Scene> {
  const found = new Map<string, Scene>();
  const add = (tool: BuiltIn, evidence: Partial<Evidence>) => {
    const { ending, exitCode, signal, ...rest } = { ...NOTHING, ...evidence };
    const verdict = classify({ tool, ending, exitCode, signal, ...rest }, CLOCK, []);
    const name = `${verdict.class}-${verdict.reason}`;
    if (!found.has(name)) found.set(name, { tool, verdict: verdict as Scene['verdict'], ending, exitCode, signal });
  };
  for (const row of RULES) for (const said of row.proof) add(toolOf(row), evidenceOf(row, said));
  for (const [ending, row] of Object.entries(ENDING_RULES))
    if (row !== null && ending !== 'not_started')
      add('codex', { ending: ending as Ending, exitCode: null, signal: 'SIGTERM' });
  add('codex', { ending: 'idle', silent: true, exitCode: null, signal: 'SIGTERM' });
  add('codex', { ending: 'lost', exitCode: null });
  add('gemini', { completed: true, exitCode: 0, tokens: 0 });
  add('codex', { completed: true, exitCode: 0 });
  add('codex', { failure: { message: 'the answer is too large', code: TOO_LARGE.reason }, exitCode: 0 });
  add('codex', { ending: 'retry_cut', retried: { message: 'stream disconnected' }, exitCode: null, signal: 'SIGTERM' });
  add('codex', { exitCode: 0 });
  add('codex', { failure: { message: 'the flux capacitor is misaligned' } });
  for (const reason of OWN_REASONS) {
    const { class: errorClass, message } = OWN[reason];
    const evidence = { source: 'none', text: message, rule: `refused-${reason.replaceAll('_', '-')}` } as const;
    const verdict = { class: errorClass, reason, evidence, retry_at: null };
    const name = `${errorClass}-${reason}`;
    if (!found.has(name))
      found.set(name, { tool: 'codex', verdict, ending: 'not_started', exitCode: null, signal: null });
  }
  return found;
}

const toolOf = ({ tool }: Rule): BuiltIn => (isBuiltIn(tool) ? tool : 'codex');

function evidenceOf({ source }: Rule, { exit, message, ...said }: Said): Partial<Evidence> {
  if (exit !== undefined)
    return typeof exit === 'number' ? { exitCode: exit } : { ending: 'signalled', exitCode: null, signal: exit };
  if (source === 'stderr') return { stderr: [message ?? ''] };
  return { failure: { message: message ?? '', ...said } };
}

/** In the words that they are found in. */
const OWN: Record<OwnReason, { class: ErrorClass; message: string }> = {
  bad_prefix: {
    class: 'tooling',
    message:
      'within tools.codex.prefix of tollgate.yaml (docker run --rm …): stdin does not arrive, so the CLI would get no prompt',
  },
  bad_state: {
    class: 'tooling',
    message: '/p/.tmp/task/fix/state/stats.json:3: paid_call_budget must be a whole number',
  },
  binary_missing: { class: 'tooling', message: 'codex is not on the PATH: install it (npm install -g @openai/codex)' },
  broken_install: {
    class: 'tooling',
    message: '/usr/bin/codex is empty, so it cannot be started: install it again (npm install -g @openai/codex)',
  },
  budget: { class: 'quota', message: 'the budget of task fix is used up: 10 of 10 paid calls; nothing was started' },
  call_elsewhere: { class: 'transient', message: 'stage codex_review: its call runs on host other until TIME' },
  cancelled: { class: 'transient', message: 'stopped by SIGINT; run it again to continue' },
  config: {
    class: 'tooling',
    message: '/p/.claude/settings.json is not a JSON object, and claude would ignore it without a message',
  },
  disk: { class: 'tooling', message: 'the private folder of the call cannot be made (ENOSPC: /tmp/tollgate-x)' },
  not_described: {
    class: 'tooling',
    message: '--model: mine takes no model, since the argv of tools.mine of tollgate.yaml has no place {model}',
  },
  empty_prompt: {
    class: 'tooling',
    message: '/p/.tmp/task/fix/inputs/prompt/codex.review.md is empty: there is nothing to ask',
  },
  held: {
    class: 'quota',
    message: 'codex (signed in) is held since TIME (plan), until LATER; nothing was started',
  },
  interrupted: { class: 'transient', message: 'no process saw how the CLI ended' },
  mcp_server: {
    class: 'tooling',
    message: 'required MCP server "tickets" is not configured: no [mcp_servers.tickets] is in /h/.codex/config.toml',
  },
  no_prompt: {
    class: 'tooling',
    message: '--prompt-file /p/.tmp/task/fix/inputs/prompt/codex.review.md does not exist',
  },
  no_working_folder: { class: 'tooling', message: '--cwd: /p/gone cannot be used (ENOENT)' },
  not_prepared: { class: 'tooling', message: 'stage codex_review: its template inputs/review.md does not exist' },
  not_signed_in: { class: 'auth', message: 'codex is not signed in: no key is set; run `codex login`' },
  not_started: { class: 'tooling', message: 'the CLI could not be started: spawn E2BIG' },
  own_limit: {
    class: 'quota',
    message:
      'a limit over all tasks is used up: 100 calls of 100 calls a day since TIME, until LATER; nothing was started',
  },
  paused: { class: 'quota', message: 'another task of the batch met the quota of codex' },
  prompt_changed: { class: 'tooling', message: 'stage codex_review is done, but its prompt has changed since' },
  prompt_limit: {
    class: 'prompt_too_large',
    message: 'the prompt has 9000000 bytes, and gemini takes 8388608 at most',
  },
  session_elsewhere: {
    class: 'tooling',
    message:
      'codex session 01a20304 works in /p/other, and this is /p: run it there, or begin a session of this folder',
  },
  session_id: {
    class: 'tooling',
    message: 'codex has no session 01a20304: it was deleted. Name another one, or begin a new one',
  },
  state_unwritable: { class: 'tooling', message: 'the state of task fix cannot be written (EROFS)' },
  timeout: { class: 'transient', message: 'the wall deadline passed' },
  untrusted: { class: 'tooling', message: '/p is not a trusted folder: if you trust it, add --trust-workspace' },
  unwritable_output: { class: 'tooling', message: '--out /p/out/a.md: its folder cannot be written (EACCES)' },
  wrapper_failed: { class: 'tooling', message: 'the wrapper left no record: exit 70' },
};

const rig = await TestRig.open();
test.after(() => rig.dispose());

const SCENES = scenes();

for (const [name, scene] of SCENES)
  test(name, async () => {
    const summary = steady(await summaryOf(scene));
    assert.ok(summary.split('\n').length <= 81);
    const file = path.join(FOLDER, `${name}.md`);
    if (process.env.GOLDEN === 'write') {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, summary);
    }
    assert.is(summary, readFileSync(file, 'utf8'));
  });

test('every reason of the tables has its scene, and no file is left over', () => {
  const known = [...RULES, ...Object.values(ENDING_RULES), ...Object.values(LEFTOVERS), LOST, SILENT_START];
  const reasons = [...known.flatMap((row) => (row === null ? [] : [row.reason])), ...OWN_REASONS];
  const shown = new Set([...SCENES.values()].map(({ verdict }) => verdict.reason));
  assert.equal(
    [...new Set(reasons)].filter((reason) => !shown.has(reason)),
    [],
  );
  assert.equal(readdirSync(FOLDER).sort(), [...SCENES.keys()].map((name) => `${name}.md`).sort());
});

test('every summary has something to do next, and nothing that asks again without a word that it does', () => {
  for (const name of SCENES.keys()) {
    const summary = readFileSync(path.join(FOLDER, `${name}.md`), 'utf8');
    const next = summary
      .slice(summary.indexOf('\nNext:'))
      .split('\n')
      .filter((line) => line.startsWith('- '));
    assert.ok(next.length > 0, name);
    assert.ok(
      next.some((line) => line.includes('tollgate run fix')),
      name,
    );
    assert.not.match(summary, /undefined|\bnull\b|NaN|\[object/, name);
  }
});

/** As a run would leave it whose only stage has failed like that, for the last time. */
async function summaryOf({ tool, verdict, ending, exitCode, signal }: Scene): Promise<string> {
  const id = 'fix';
  makeTask(rig, { stages: [{ tool, role: 'review', model: 'some-model' }] }, id);
  const opening = { word: id, cwd: rig.project, environment: rig.env, trustWorkspace: false, clock: () => AT };
  const opened = await openTask(opening);
  assert.is(opened.how, 'opened');
  const { open } = opened as typeof opened & { how: 'opened' };
  const { stage } = open.plans[0]!;
  const count = RETRY_TABLE[verdict.class].first === 'stop' ? 1 : 2;
  const record = recordOf({ tool, verdict, ending, exitCode, signal });
  const decision = decide({
    verdict,
    count,
    retriesLeft: 1,
    callsLeft: 8,
    dirty: false,
    dirtyRetries: 'never',
    sessionId: SESSION,
    session: { sessionId: SESSION, resumed: false, busyAwaited: 0, repair: 'off' },
    waitForResetMs: 0,
    resetsAwaited: 0,
    fallback: null,
    waitMs: 0,
    wallLeftMs: null,
    now: AT,
  });
  const run = { open, stage, context: contextIn(rig, { clock: () => AT }) };
  const sent = { chars: 1234, parts: [], resumed: false, ranTools: false };
  const failure = failureOf(run, record, { count, attempt: count, decision, sent, changed: [] });
  const calls = ending === 'not_started' ? 0 : count;
  const report = {
    ...untouched(open, open.plans[0]!),
    state: 'failed',
    exit_code: record.wrapper_exit_code,
    calls,
  } as const;
  const ended = { state: 'failed', exitCode: 1, stages: [report], failure, notes: [] } as const;
  const left = await writeReport(open, { ...ended, stages: [report], notes: [] }, () => AT);
  return left.summary;
}

function recordOf({ tool, verdict, ending, exitCode, signal }: Scene): CallRecord {
  const detail = { ending, class: verdict.class, reason: verdict.reason, more: [] };
  const texts = verdict.evidence === null || ending === 'not_started' ? [] : [verdict.evidence.text];
  return {
    schema: CALL_RECORD_SCHEMA,
    call_id: '20260102030405-00000000',
    tool,
    cli_version: null,
    model: 'some-model',
    argv: [],
    cwd: rig.project,
    started_at: AT.toISOString(),
    duration_ms: 1000,
    ending,
    native_exit_code: exitCode,
    signal,
    wrapper_exit_code: ending === 'timed_out' ? WRAPPER_EXIT[tool].timeout : WRAPPER_EXIT[tool].failure,
    session_id: ending === 'not_started' ? null : SESSION,
    answer_bytes: 0,
    prompt_sha256: null,
    usage: UNKNOWN_USAGE,
    tool_calls: 0,
    denied_tools: [],
    warnings: [],
    verdict,
    signature: sign({ tool, errorLines: texts, eventText: null, detail }).signature,
    orphans_killed: null,
    inner_retries: null,
  };
}

const steady = (summary: string): string =>
  summary.replaceAll(rig.root, '/rig').replace(/v1:[0-9a-f]{64}/g, 'SIGNATURE');

test.run();
