// Explains a task's last failure, or the last call of one of its stages.

import path from 'node:path';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { Verdict } from '../../policies/facts/evidence.ts';
import type { Finding } from '../../policies/facts/gate-record.ts';
import { actionLine } from '../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { nextActions } from '../../policies/report/next-actions.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { budgetOf, type Call, decisionsByCall, type Ledger, lacksIn } from '../../state/journal/ledger.ts';
import { statsOf } from '../../state/journal/stats.ts';
import { missingTask } from '../../state/missing-task.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { areTrustedTasks } from '../../state/trusted-folders.ts';
import { findRecord } from '../../state/usage.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { savedTrust } from '../attempt/restored-draft.ts';
import { launcherIn } from '../launcher.ts';
import { readGateRecord } from '../task/gate-actions.ts';
import { situationOf } from '../task/situation.ts';
import { readTask, rootOf } from '../task/task.ts';
import { explanationOf, type FailureExplanation, ownRowsOf, signedTextOf } from './explanation.ts';
import { nextOf, readFailure, supervisionOf } from './task-row.ts';
import { callsInProgress, standingOf } from './task-state.ts';

type ExplainedTask =
  | { how: 'found'; explanation: FailureExplanation }
  /** The task exists, and the requested stage or task has no failure. */
  | { how: 'nothing'; taskId: string; message: string }
  | { how: 'invalid'; message: string };

interface Explaining {
  word: string;
  /** null for the task's last failure. */
  stage: string | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

interface Opened extends Explaining {
  task: TaskFolder;
  ledger: Ledger;
  failure: Failure | null;
}

/** Reads only; changes nothing. */
export async function explainTask(explaining: Explaining): Promise<ExplainedTask> {
  const located = locateTask(explaining.word, explaining.cwd, explaining.environment);
  if (located.how === 'invalid') return located;
  const { folder: task } = located;
  let failure: Failure | null;
  let ledger: Ledger;
  try {
    failure = readFailure(task);
    const reading = openJournal(task.root, explaining.clock).read();
    ledger = reading.ledger;
    if (reading.offset === 0 && task.manifest === null && failure === null) return invalid(missingTask(task.root));
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof JournalError) return invalid(message);
    return invalid(`the state of ${task.id} in ${task.state} cannot be read: ${message}`);
  }
  const opened = { ...explaining, task, ledger, failure };
  return explaining.stage === null ? explainLast(opened) : explainStage(opened, explaining.stage);
}

async function explainLast(opened: Opened): Promise<ExplainedTask> {
  const { task, ledger, failure } = opened;
  if (failure !== null) return explainFailure(opened, failure);
  // A direct call of a wrapper does not record a failure of the task.
  const last = [...ledger.calls.values()].findLast(({ verdict }) => verdict !== null && verdict.class !== null);
  if (last !== undefined) return explainCall(opened, last);
  return { how: 'nothing', taskId: task.id, message: await standingWords(opened) };
}

/** What is to be said of a task in which nothing has failed. */
async function standingWords({ task, ledger, environment }: Opened): Promise<string> {
  const lacks = lacksIn(ledger);
  if (lacks.length > 0) return `nothing of ${task.id} has failed, but something is missing: ${lacks.join('; ')}`;
  const self = (await identify(process.pid))!;
  const { state } = await standingOf(ledger, self);
  if (state === 'interrupted' || state === 'parked') {
    const supervision = await supervisionOf(task, ledger, environment);
    const next = nextOf(task, state, supervision, launcherIn(environment))!;
    const was =
      state === 'interrupted'
        ? `was interrupted, and nothing of it has failed.${await runsStill(ledger, self)}`
        : `waits for an answer${supervision?.question ? `: ${supervision.question}` : '.'}`;
    return `${task.id} ${was} Next: ${actionLine(next)}`;
  }
  if (state === 'running') return `${task.id} runs, and nothing of it has failed: there is nothing to explain`;
  return `${ledger.calls.size === 0 ? `${task.id} was never run` : `nothing of ${task.id} has failed`}: there is nothing to explain`;
}

async function runsStill(ledger: Ledger, self: ProcessIdentity): Promise<string> {
  const alive = (await callsInProgress(ledger, self)).filter(({ life }) => life === 'alive');
  return alive
    .map(({ call, process: { pid } }) => ` ${call.reserved.tool} still runs (pid ${pid}) and may cost more.`)
    .join('');
}

async function explainStage(opened: Opened, stage: string): Promise<ExplainedTask> {
  const { task, ledger, failure } = opened;
  const last = [...ledger.calls.values()].findLast(({ reserved }) => reserved.stage === stage);
  const failed = failure?.stage === stage ? failure : null;
  if (last === undefined && failed === null) return invalid(noSuchStage(ledger, stage));
  if (failed !== null && (last === undefined || failed.at >= (last.verdict?.at ?? last.reserved.at)))
    return explainFailure(opened, failed);
  const { verdict, granted } = last!;
  if (verdict?.class) return explainCall(opened, last!);
  const became =
    verdict !== null
      ? `succeeded (${verdict.at})${(verdict.lacks ?? []).map((lack) => `; ${lack}`).join('')}`
      : granted
        ? `has not ended yet (begun ${last!.reserved.at})`
        : `was refused, for the budget was used up (${last!.reserved.at}); see tollgate budget ${task.id}`;
  return { how: 'nothing', taskId: task.id, message: `the last call of ${stage} ${became}` };
}

async function explainFailure(opened: Opened, failure: Failure): Promise<ExplainedTask> {
  const { task, ledger } = opened;
  const { class: errorClass, reason, evidence, retry_at, signature } = failure;
  const verdict = { class: errorClass, reason, evidence, retry_at };
  const calls = [...ledger.calls.values()].filter(
    ({ reserved, verdict }) => reserved.stage === failure.stage && verdict !== null && verdict.at <= failure.at,
  );
  const call = calls.findLast((one) => one.verdict?.signature === signature) ?? null;
  const findings = evidence?.source === 'gate' ? findingsOf(task, failure.stage) : [];
  const ownRows = await ownRowsIn(opened, verdict, call ?? calls.at(-1) ?? null);
  const explanation = explanationOf(
    {
      of: 'last_failure',
      ownRows,
      task_id: task.id,
      stage: failure.stage,
      tool: failure.tool,
      call_id: (call ?? calls.at(-1))?.reserved.call_id ?? null,
      at: failure.at,
      resolved_at: failure.resolved_at,
      verdict,
      signature,
      signed: await signedText(opened, failure.tool, verdict, signature, call, findings),
      inRun: signature === null ? null : failure.count,
      decision: failure.decision,
      findings,
      // A failure that a later success resolved needs no action, least of all another paid call.
      next_actions: failure.resolved_at === null ? failure.next_actions : [],
    },
    statsOf(ledger, 0).signatures,
  );
  return { how: 'found', explanation };
}

async function explainCall(opened: Opened, call: Call): Promise<ExplainedTask> {
  const { task, ledger } = opened;
  const { stage, tool, run_id, call_id } = call.reserved;
  const { at, signature, class: errorClass, reason, retry_at } = call.verdict!;
  const evidence = findRecord(task, call)?.verdict.evidence ?? null;
  const verdict = { class: errorClass as ErrorClass, reason, evidence, retry_at };
  const alike = [...ledger.calls.values()].filter(
    (one) => one.reserved.run_id === run_id && one.reserved.stage === stage && one.verdict?.signature === signature,
  );
  const decided = decisionsByCall(ledger).get(call);
  const explanation = explanationOf(
    {
      of: 'call',
      ownRows: await ownRowsIn(opened, verdict, call),
      task_id: task.id,
      stage,
      tool,
      call_id,
      at,
      resolved_at: null,
      verdict,
      signature,
      signed: await signedText(opened, tool, verdict, signature, call, []),
      inRun: run_id === null ? null : alike.length,
      decision: decided === undefined ? null : { action: decided.action, why: decided.why },
      findings: [],
      next_actions: await waysOut(opened, call, verdict),
    },
    statsOf(ledger, 0).signatures,
  );
  return { how: 'found', explanation };
}

/** Builds the next actions as the failure record would, from the current files. */
async function waysOut({ task, ledger, word, cwd, environment }: Opened, call: Call, verdict: Verdict) {
  const read = await readTask({ word, cwd, environment, trustWorkspace: false });
  const { stage, tool, call_id } = call.reserved;
  const trusts =
    !(read.how === 'read' && read.manifest.security.trust_workspace) &&
    savedTrust(path.join(task.attempts, call_id), call) &&
    !areTrustedTasks([word], cwd, environment);
  const supervised = read.how === 'read' && read.manifest.supervise !== undefined;
  const failing = {
    task,
    called: { launcher: launcherIn(environment), verb: supervised ? 'supervise' : 'run', word, trusts } as const,
    read: read.how === 'read' ? read : null,
    stage: { name: stage, tool },
    cwd: rootOf(task, cwd, environment),
    environment,
    callsLeft: Math.max(0, budgetOf(ledger) - ledger.used),
    budget: budgetOf(ledger),
  };
  const record = findRecord(task, call);
  const known = { verdict, session_id: record?.session_id ?? null, ending: record?.ending ?? null };
  // No run repeats this call, because it does not belong to the manifest.
  const byHand = call.reserved.run_id === null ? { again: `call ${adapterOf(tool).command} with the same flags` } : {};
  return nextActions({ ...situationOf(failing, known), ...byHand });
}

const ownRowsIn = ({ task, cwd, environment }: Opened, verdict: Verdict, call: Call | null) =>
  ownRowsOf(verdict, call, task, rootOf(task, cwd, environment));

async function signedText(
  { task, environment, clock }: Opened,
  tool: Failure['tool'],
  verdict: Verdict,
  signature: string | null,
  call: Call | null,
  findings: readonly Finding[],
) {
  if (signature === null || tool === null) return null;
  return signedTextOf({ signature, tool, verdict, call, findings }, task, environment, clock);
}

/** Returns what the stage's gate found last; an empty list if the gate has no record. */
function findingsOf(task: TaskFolder, stage: string | null): Finding[] {
  const record = stage === null ? null : readGateRecord(task, stage);
  return record === null || record.passed ? [] : record.findings;
}

function noSuchStage(ledger: Ledger, stage: string): string {
  const names = [...new Set([...ledger.calls.values()].map(({ reserved }) => reserved.stage))];
  const known = names.length === 0 ? 'none was called yet' : `the stages with calls are ${names.join(', ')}`;
  return `no call of a stage "${stage}" was made; ${known}`;
}

const invalid = (message: string): ExplainedTask => ({ how: 'invalid', message });
