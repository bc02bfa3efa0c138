// Makes the calls of the matrix: the built wrapper, the real CLI, the model API, and a look at everything afterwards.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT_BY_SIGNAL, WRAPPER_EXIT } from '../../../policies/facts/exit-codes.ts';
import { type BuiltIn, COMMANDS } from '../../../policies/facts/tools.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { readScenario } from '../../rig/model-api/scenario.ts';
import { type ModelApi, startModelApi } from '../../rig/model-api.ts';
import type { RunningCommand } from '../../rig/running-command.ts';
import { RealHome } from '../real-home.ts';
import { withoutKey } from '../routes.ts';
import type { ExitKind, MatrixCall } from './rows.ts';

export interface MatrixOutcome {
  call: MatrixCall;
  exit: number | null;
  expectedExit: number;
  class: string | null;
  reason: string | null;
  requests: number;
  seconds: number;
  survivors: number;
  /** What is wrong, in words; empty when all is right. */
  faults: string[];
}

/**
 * Two compute, beside one whose calls mostly wait: more would only take turns on a small machine, and gemini's start would grow
 * to many seconds. A lane without calls of its own takes from the others.
 */
const LANES = ['waits', 'computes', 'computes'] as const;

/** Outcomes in the order of the calls; `told` hears of each as it comes. */
export async function runMatrix(
  calls: readonly MatrixCall[],
  told: (outcome: MatrixOutcome) => void = () => {},
): Promise<MatrixOutcome[]> {
  const api = await startModelApi();
  const outcomes: MatrixOutcome[] = [];
  const left = {
    waits: [...calls.entries()].filter(isWaiting),
    computes: [...calls.entries()].filter((one) => !isWaiting(one)),
  };
  const next = (own: 'waits' | 'computes') => left[own].shift() ?? left[own === 'waits' ? 'computes' : 'waits'].shift();
  const lane = async (own: 'waits' | 'computes') => {
    for (let one = next(own); one !== undefined; one = next(own)) {
      const [at, call] = one;
      outcomes[at] = await makeWithinLimit(call, `call-${at}`, api);
      told(outcomes[at]);
    }
  };
  await Promise.all(LANES.map(lane));
  await api.close();
  return outcomes;
}

const isWaiting = ([, { deadline }]: [number, MatrixCall]): boolean => deadline === 'involved';

const MAX_LIMIT_MS = 150_000;

/** On a busy machine a limit may end a CLI before it requests the model; then the scenario did not take place. */
async function makeWithinLimit(call: MatrixCall, run: string, api: ModelApi): Promise<MatrixOutcome> {
  const { limit } = call.setup;
  if (limit === undefined) return make(call, run, api);
  for (let { ms } = limit; ; ms *= 2) {
    const flags = ['--timeout-ms', String(MAX_LIMIT_MS), limit.flag, String(ms)];
    const outcome = await make({ ...call, setup: { ...call.setup, flags } }, `${run}-${ms}`, api);
    if (outcome.requests >= call.expected.requests) return { ...outcome, call };
    if (2 * ms > MAX_LIMIT_MS)
      return { ...outcome, call, faults: ['the limit ended it before the model was requested'] };
  }
}

async function make(call: MatrixCall, run: string, api: ModelApi): Promise<MatrixOutcome> {
  const home = new RealHome(call.setup.route ?? call.tool, addressOf(call, run, api), call.clis);
  try {
    for (const [name, text] of Object.entries(call.setup.home ?? {}))
      home.write(path.relative(home.project, path.join(home.home, name)), text);
    if (call.setup.script) api.script(call.setup.script, run);
    const files = { out: path.join(home.root, 'answer.out'), record: path.join(home.root, 'record.json') };
    const began = performance.now();
    const resume = call.setup.resumed ? await sessionOf(call, home) : [];
    const argv = [...argvOf(call, home, files), ...resume];
    const running = home.start(COMMANDS[call.tool], argv, { env: environmentOf(call, home) });
    if (call.setup.terminated) await terminate(running, () => api.paid(run).length > 0);
    const { code, stderr } = await running.result;
    const seconds = (performance.now() - began) / 1000;
    const survivors = home.survivors();
    const record = readRecord(files.record);
    const { expected } = call;
    const seen = {
      call,
      exit: code,
      expectedExit: exitOf(expected.exit, call.tool),
      class: record === null ? '(no record)' : record.verdict.class,
      reason: record?.verdict.reason ?? null,
      requests: api.paid(run).length,
      seconds,
      survivors: survivors.length,
    };
    const answer = existsSync(files.out) ? readFileSync(files.out, 'utf8') : null;
    return { ...seen, faults: faultsOf(seen, answer, stderr) };
  } finally {
    await home.dispose();
  }
}

/** An earlier call of the same scenario; a session that it did not name is one that no CLI knows. */
async function sessionOf(call: MatrixCall, home: RealHome): Promise<string[]> {
  const files = { out: path.join(home.root, 'first.out'), record: path.join(home.root, 'first.json') };
  await home.start(COMMANDS[call.tool], argvOf(call, home, files), { env: environmentOf(call, home) }).result;
  return ['--resume-session', readRecord(files.record)?.session_id ?? 'none'];
}

function addressOf({ scenario, setup }: MatrixCall, run: string, api: ModelApi): string {
  if (setup.address === 'refused') return 'http://127.0.0.1:9'; // the discard port, where nobody listens
  if (setup.address === 'unknown host') return 'http://no-such-host.invalid';
  return api.url(scenario, run);
}

const DEADLINE_MS: Record<MatrixCall['deadline'], number> = { none: 150_000, involved: 6000 };

function argvOf({ setup, deadline }: MatrixCall, home: RealHome, files: { out: string; record: string }): string[] {
  const { prompt = 'Say hello.\n', trust, flags = [] } = setup;
  const file = prompt === 'no file' ? path.join(home.project, 'no-such-prompt.md') : home.write('prompt.md', prompt);
  return [
    ...['--prompt-file', file, '--out', files.out, '--err', path.join(home.root, 'answer.err')],
    ...['--result', files.record, '--access', 'full'],
    ...(trust === 'none' ? [] : ['--trust-workspace']),
    '--timeout-ms',
    String(DEADLINE_MS[deadline]),
    ...flags,
  ];
}

function environmentOf({ setup }: MatrixCall, home: RealHome): Record<string, string> {
  if (setup.binary === 'missing') return { PATH: '/usr/bin:/bin' };
  if (setup.credentials !== 'missing') return {};
  const kept = withoutKey(home.env);
  return Object.fromEntries(
    Object.keys(home.env)
      .filter((name) => !(name in kept))
      .map((name) => [name, '']),
  );
}

/** No event announces a request to the model API, so it is polled. */
async function terminate(running: RunningCommand, isRequested: () => boolean): Promise<void> {
  let isOver = false;
  const over = running.result.finally(() => {
    isOver = true;
  });
  while (!isOver && !isRequested()) await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 50))]);
  running.signal('SIGTERM');
}

function readRecord(file: string): CallRecord | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CallRecord) : null;
}

function exitOf(kind: ExitKind, tool: BuiltIn): number {
  if (kind === 'terminated') return EXIT_BY_SIGNAL.SIGTERM;
  return kind === 'geminiInput' ? WRAPPER_EXIT.gemini.refusedInput : WRAPPER_EXIT[tool][kind];
}

function faultsOf(seen: Omit<MatrixOutcome, 'faults'>, answer: string | null, stderr: string): string[] {
  const { call, exit, expectedExit, survivors, requests } = seen;
  const { expected } = call;
  // Pieces may be parted by blank lines.
  const bare = (text: string) => (expected.pieces === 1 ? text.trim() : text.replaceAll(/\s/g, ''));
  const wrongAnswer =
    expected.class === null && bare(answer ?? '') !== bare(answerOf(call.scenario).repeat(expected.pieces));
  return [
    ...(exit === expectedExit ? [] : [`exit ${exit}, not ${expectedExit}`]),
    ...(seen.class === expected.class ? [] : [`class ${seen.class} (${seen.reason}), not ${expected.class}`]),
    ...(requests <= expected.requests ? [] : [`${requests} model requests, at most ${expected.requests}`]),
    ...(survivors === 0 ? [] : [`${survivors} survivors`]),
    ...(wrongAnswer ? [`answer ${JSON.stringify(answer?.slice(0, 80) ?? null)}: ${stderr.trim().slice(-300)}`] : []),
    ...(expected.class !== null && answer ? ['a failure published an answer'] : []),
  ];
}

/** What the model says in the end. */
function answerOf(scenario: string): string {
  const { reply, afterTool = reply } = readScenario(scenario);
  return afterTool.how === 'says' ? afterTool.saying.text : '';
}
