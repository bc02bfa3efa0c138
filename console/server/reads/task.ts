// Reads one task: its stages, attempts, gates, summary and texts, and why it failed.

import path from 'node:path';
import { launcherIn } from '../../../loops/launcher.ts';
import { explainTask } from '../../../loops/report/explain.ts';
import {
  nextOf,
  readFailure,
  supervisionOf,
  type TaskRow,
  type TaskSupervision,
} from '../../../loops/report/task-row.ts';
import { callsInProgress, stagesAtWork, standingOf, type TaskState } from '../../../loops/report/task-state.ts';
import { keptSessions } from '../../../loops/session/locate.ts';
import { readGateRecord } from '../../../loops/task/gate-actions.ts';
import { stageFacts } from '../../../loops/task/stage-facts.ts';
import { readTask, rootOf } from '../../../loops/task/task.ts';
import type { GateRecord } from '../../../policies/facts/gate-record.ts';
import type { NextAction } from '../../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import { placeOf } from '../../../policies/facts/process-identity.ts';
import { isBuiltIn } from '../../../policies/facts/tools.ts';
import type { ProjectFile } from '../../../policies/manifest/project-file.ts';
import { type Redactor, redactValue } from '../../../policies/redact/redactor.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
import { priceOf } from '../../../policies/report/spending.ts';
import type { Failure } from '../../../policies/report/task-failure.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { isFolder, lookAt } from '../../../state/disk/regular-file.ts';
import { JournalError, ledgerIfAny, openJournal } from '../../../state/journal/journal.ts';
import { budgetOf, decisionsByCall, type Ledger, lacksIn } from '../../../state/journal/ledger.ts';
import { readProject } from '../../../state/project/project.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { locateTask, type TaskFolder } from '../../../state/task-folder.ts';
import { findRecord } from '../../../state/usage.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { ExplainedShown, NowShown } from '../../contract/overviews.ts';
import type { StageShown, TaskShown } from '../../contract/task.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { errorsIn } from './overviews.ts';
import { goalOf, headOfFile, redactorOfTask, tailOfFile } from './texts.ts';

/** Finds a task of this project by its id, never by a path. */
export function foundTask(id: string, { cwd, environment }: ServedProject): TaskFolder | Reply {
  if (id.includes('/')) return refused(404, `"${id}" is not a task id`);
  const located = locateTask(id, cwd, environment);
  if (located.how === 'invalid') return refused(404, located.message);
  if (isFolder(located.folder.root)) return located.folder;
  return refused(
    404,
    `there is no task ${id}; it may have been archived, deleted or renamed`,
    'the view Tasks lists all tasks',
  );
}

export async function taskShown(id: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  try {
    return answerWith(await shownOf(task, project));
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return refused(409, error.message);
  }
}

async function shownOf(task: TaskFolder, served: ServedProject): Promise<TaskShown> {
  const { cwd, environment, clock } = served;
  const { ledger } = openJournal(task.root, clock).read();
  const project = await readProject(rootOf(task, cwd, environment));
  const prices = project.how === 'read' ? project.value.prices : {};
  const self = (await identify(process.pid))!;
  const { state, at } = await standingOf(ledger, self);
  const atWork = state === 'running' ? await stagesAtWork(ledger, self) : undefined;
  const attempts = await withKept(attemptsOf(task, ledger, prices, state), { cwd, environment });
  const redactor = await redactorOfTask(task.id, served);
  const failure = failureOf(task, state);
  const supervision = await supervisionOf(task, ledger, environment);
  const planned = await readTask({ word: task.id, cwd, environment, trustWorkspace: true });
  return {
    task_id: task.id,
    folder: task.root,
    goal: goalOf(task.root, redactor),
    state,
    at,
    running_since: state === 'running' ? (ledger.run?.at ?? at) : null,
    left_running: state === 'interrupted' ? await leftRunning(ledger, self) : null,
    restarted: ledger.run !== null && placeOf(ledger.run.owner, self) === 'earlier_boot',
    failure: shownFailure(failure),
    asks: state === 'never_run' ? asksOf(planned, redactor) : null,
    calls: { used: ledger.used, budget: budgetIn(ledger, planned) },
    tokens: sumOf(attempts.map(({ tokens }) => tokens)),
    usd: sumOf(attempts.map(({ usd }) => usd)),
    unknown: unknownOf(attempts),
    stages: inOrderOf(plannedStages(planned), stagesOf(task, ledger, attempts, atWork)),
    attempts,
    gates: gatesOf(task, ledger),
    supervision: supervision && {
      instruction: supervision.instruction,
      errors: errorsIn(supervision),
      iterations: supervision.iterations,
    },
    lacks: state === 'done' ? lacksIn(ledger) : [],
    summary: summaryOf(task, redactor),
    texts: shownFiles(task).map(({ name, what, bytes }) => ({ name, what, bytes })),
    next_actions: nextActionsOf(task, state, failure, supervision, environment),
  };
}

async function leftRunning(ledger: Ledger, self: ProcessIdentity): Promise<boolean | null> {
  const lives = (await callsInProgress(ledger, self)).map(({ life }) => life);
  if (lives.includes('alive')) return true;
  return lives.includes('unknown') ? null : false;
}

/** Of so many interrupted tasks. */
const MOST_INTERRUPTED = 20;

/** The CLIs of interrupted runs that are alive on this machine. */
export async function stillRunning(rows: readonly TaskRow[]): Promise<NowShown['still_running']> {
  const self = (await identify(process.pid))!;
  const found: NowShown['still_running'] = [];
  const interrupted = rows.filter(({ state }) => state === 'interrupted').slice(0, MOST_INTERRUPTED);
  for (const { task_id, folder } of interrupted) {
    // A journal that cannot be read is reported by its task.
    const ledger = ledgerIfAny(folder);
    for (const { call, life } of ledger === null ? [] : await callsInProgress(ledger, self))
      if (life === 'alive') found.push({ task_id, tool: call.reserved.tool });
  }
  return found;
}

function attemptsOf(
  task: TaskFolder,
  ledger: Ledger,
  prices: ProjectFile['prices'],
  state: TaskState,
): TaskShown['attempts'] {
  const open = state === 'running' ? { ending: null, reason: null } : LOST;
  const decisions = decisionsByCall(ledger);
  return [...ledger.calls.values()]
    .filter(({ granted }) => granted)
    .map((call) => {
      const decided = decisions.get(call);
      const { call_id, run_id, stage, tool, attempt, at, deadline_at } = call.reserved;
      const record = findRecord(task, call);
      return {
        ...{ call_id, run_id, stage, tool, attempt, at, deadline_at },
        ms: record?.duration_ms ?? null,
        ending: call.ended?.ending ?? record?.ending ?? (call.verdict === null ? open.ending : 'exited'),
        class: call.verdict?.class ?? null,
        reason: call.verdict === null ? open.reason : call.verdict.reason,
        decision: decided === undefined ? null : { action: decided.action, why: decided.why },
        session_id: record?.session_id ?? null,
        session_kept: false,
        tokens: record?.usage?.total_tokens ?? null,
        usd: record?.usage === undefined || record === null ? null : priceOf(record, prices),
      };
    });
}

/** The page opens the conversations of the built-in CLIs. */
async function withKept(
  attempts: TaskShown['attempts'],
  lookup: Pick<ServedProject, 'cwd' | 'environment'>,
): Promise<TaskShown['attempts']> {
  const named = attempts.flatMap(({ tool, session_id: id }) => (id !== null && isBuiltIn(tool) ? [{ tool, id }] : []));
  const kept = await keptSessions([...new Map(named.map((each) => [each.id, each])).values()], lookup);
  return attempts.map((each) => ({ ...each, session_kept: each.session_id !== null && kept.has(each.session_id) }));
}

/** Of a call without a result whose run has ended. */
const LOST = { ending: 'lost', reason: 'interrupted' } as const;

function stagesOf(
  task: TaskFolder,
  ledger: Ledger,
  attempts: TaskShown['attempts'],
  atWork: ReadonlySet<string> | undefined,
): StageShown[] {
  const names = new Map(attempts.map(({ stage, tool }) => [stage, tool]));
  return [...names].map(([stage, tool]) => {
    const facts = stageFacts(task, ledger, stage, null, atWork);
    const of = attempts.filter((each) => each.stage === stage);
    return {
      stage,
      tool: facts.tool ?? tool,
      ...(facts.account === undefined ? {} : { account: facts.account }),
      stand_ins: facts.stand_ins,
      state: facts.state === 'pending' ? stateOfAttempt(of.at(-1)!) : facts.state,
      attempts: of.length,
      ms: sumOf(of.map(({ ms }) => ms)),
      tokens: sumOf(of.map(({ tokens }) => tokens)),
      usd: sumOf(of.map(({ usd }) => usd)),
      unknown: unknownOf(of),
    };
  });
}

/** The stages of the manifest, with the CLI of each; none of a task without one, or with one that cannot be read. */
const plannedStages = (read: Planned): { stage: string; tool: string }[] =>
  read.how === 'read' ? read.plans.map(({ stage: { name, tool } }) => ({ stage: name, tool })) : [];

function asksOf(read: Planned, { redact }: Redactor): TaskShown['asks'] {
  if (read.how !== 'read') return null;
  const { acceptance, scope, budgets } = read.manifest;
  const { commands, criteria } = acceptance;
  const { paid_call_budget: calls, max_usd: usd = null, max_wallclock_sec: wallclock_sec = null } = budgets;
  const only_reads = read.plans.every(({ access }) => access === 'read');
  const limits = { calls, usd, wallclock_sec };
  const asks = { commands, criteria, allow: scope.allow, deny: scope.deny, only_reads, limits };
  return redactValue(asks, redact) as TaskShown['asks'];
}

type Planned = Awaited<ReturnType<typeof readTask>>;

/** A task that has never run has no budget in its journal yet. */
function budgetIn(ledger: Ledger, read: Planned): number | null {
  if (ledger.budget !== null) return budgetOf(ledger);
  return read.how === 'read' ? read.manifest.budgets.paid_call_budget : null;
}

/** Calls outside the pipeline come last. */
function inOrderOf(planned: readonly { stage: string; tool: string }[], called: readonly StageShown[]): StageShown[] {
  const inPipeline = planned.map(
    ({ stage, tool }) => called.find((each) => each.stage === stage) ?? { ...NOT_CALLED, stage, tool },
  );
  return [...inPipeline, ...called.filter((each) => !inPipeline.includes(each))];
}

const NOT_CALLED = {
  stand_ins: [],
  state: 'pending',
  attempts: 0,
  ms: null,
  tokens: null,
  usd: null,
  unknown: { tokens: 0, usd: 0 },
} as const;

/** The state of a wrapper that ran alone, not as a stage of a run: only its last call counts. */
function stateOfAttempt({ ending, class: errorClass }: TaskShown['attempts'][number]): StageShown['state'] {
  if (ending === null || ending === LOST.ending) return 'interrupted_earlier';
  return errorClass === null ? 'done_earlier' : 'failed_earlier';
}

const unknownOf = (attempts: readonly { tokens: number | null; usd: number | null }[]) => ({
  tokens: attempts.filter(({ tokens }) => tokens === null).length,
  usd: attempts.filter(({ usd }) => usd === null).length,
});

/** The actions of the current failure; without one, those that continue the task. */
function nextActionsOf(
  task: TaskFolder,
  state: TaskState,
  failure: Failure | null,
  supervision: TaskSupervision | null,
  environment: NodeJS.ProcessEnv,
): NextAction[] {
  if (state === 'running' || state === 'done') return [];
  if (failure !== null) return failure.next_actions;
  return [nextOf(task, state, supervision, launcherIn(environment)) ?? []].flat();
}

const gatesOf = (task: TaskFolder, { gates }: Ledger): GateRecord[] =>
  [...gates.keys()].flatMap((stage) => {
    const record = readGateRecord(task, stage);
    return record === null ? [] : [record];
  });

const MAX_SUMMARY = 256 * 1024;

function summaryOf({ outputs }: TaskFolder, redactor: Redactor): string | null {
  try {
    return headOfFile(path.join(outputs, '_summary.md'), MAX_SUMMARY, redactor).text;
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

function shownFailure(failure: Failure | null): TaskShown['failure'] {
  if (failure === null) return null;
  const { class: errorClass, reason, stage, tool, evidence } = failure;
  const sentence = failureSentence(failure);
  return { class: errorClass, reason, stage, tool, sentence, evidence: evidence?.text ?? null };
}

/** Returns null if it is resolved, or if the task has begun something else since. */
function failureOf(task: TaskFolder, state: TaskState): Failure | null {
  if (state === 'running' || state === 'done' || state === 'parked') return null;
  try {
    const failure = readFailure(task);
    return failure?.resolved_at === null ? failure : null;
  } catch {
    // The file may contain anything; the journal records the failure.
    return null;
  }
}

function sumOf(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? null : known.reduce((sum, figure) => sum + figure, 0);
}

const MAX_TEXT = 512 * 1024;

/** @param part the beginning of the text, or its end. */
export async function textShown(id: string, name: string, project: ServedProject, part = headOfFile): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  const found = shownFiles(task).find((each) => each.name === name);
  if (found === undefined) return refused(404, `${id} has no text of that name`, 'reload the page');
  return answerWith(part(found.file, MAX_TEXT, await redactorOfTask(task.id, project)));
}

/** Of the workers of so many tasks that ask. */
const MOST_QUOTED = 20;
const QUOTED_CHARS = 600;

/** By task, the end of what its worker answered before the question of the reasoner. */
export async function workersSaid(rows: readonly TaskRow[], project: ServedProject): Promise<Map<string, string>> {
  const asking = rows.filter(({ state, supervision }) => state === 'parked' && supervision?.question);
  const said = new Map<string, string>();
  for (const { task_id: id } of asking.slice(0, MOST_QUOTED)) {
    const task = foundTask(id, project);
    if ('how' in task) continue;
    const answers = shownFiles(task).filter(({ name }) => /^outputs\/worker\..*out$/.test(name));
    // A fallback CLI may have answered after the first one.
    const [last] = answers.sort((a, b) => changedAt(b.file) - changedAt(a.file));
    if (last !== undefined) said.set(id, await endOf(last.file, id, project));
  }
  return said;
}

const changedAt = (file: string): number => lookAt(file)?.mtimeMs ?? 0;

async function endOf(file: string, id: string, project: ServedProject): Promise<string> {
  try {
    return tailOfFile(file, QUOTED_CHARS, await redactorOfTask(id, project)).text.trim();
  } catch (error) {
    // Another program removed it meanwhile.
    if (isSystemError(error)) return '';
    throw error;
  }
}

/** A file of a task that may be shown. A requested name is only compared with these. */
interface ShownFile {
  /** Relative to the task's folder. */
  name: string;
  what: 'prompt' | 'answer' | 'stderr' | 'record';
  bytes: number;
  file: string;
}

/** Chosen by published name, and already redacted: never the files in state/. */
const SHOWN: readonly [folder: string, suffix: string, what: ShownFile['what']][] = [
  ['inputs/prompt', '.md', 'prompt'],
  ['outputs', '.out', 'answer'],
  ['outputs', '.err', 'stderr'],
  ['outputs', '.call.json', 'record'],
  ['outputs', '.gate.json', 'record'],
];

function shownFiles({ root }: TaskFolder): ShownFile[] {
  return SHOWN.flatMap(([folder, suffix, what]) =>
    namesIfAny(path.join(root, folder))
      .filter((name) => name.endsWith(suffix) && !name.startsWith('.'))
      .sort()
      .flatMap((name) => {
        const file = path.join(root, folder, name);
        const found = lookAt(file);
        return found?.isFile() ? [{ name: `${folder}/${name}`, what, bytes: found.size, file }] : [];
      }),
  );
}

/** Why the task failed, as `tollgate explain` reports it. */
export async function explainedShown(id: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  const explained = await explainTask({ ...project, word: id, stage: null });
  switch (explained.how) {
    case 'invalid':
      return refused(409, explained.message);
    case 'nothing':
      return answerWith<ExplainedShown>({ explanation: null, message: explained.message });
    case 'found':
      return answerWith<ExplainedShown>({ explanation: explained.explanation, message: '' });
  }
}
