// Runs the stages of a task in order, until one fails.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { goOnLine } from '../../policies/facts/next-action.ts';
import { verdictNotes } from '../../policies/gate/answer-verdict.ts';
import { inAccount } from '../../policies/limits/user-accounts.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { type Named, namesNoStage, repeatWords } from '../../policies/verdict/changed-prompt.ts';
import { standInWords } from '../../policies/verdict/stand-ins.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { closedBy } from '../guard/enter-task.ts';
import { changedByOthersFailure, changedFailure, tooLargeFailure, unpreparedFailure } from '../task/failure.ts';
import { type CheckedStages, changedOf, checkStages } from '../task/plan.ts';
import { type ComposedPrompt, type Composing, composePrompt, type Prompt, writePrompt } from '../task/prompt.ts';
import type { RunContext } from '../task/run-context.ts';
import type { RunOptions } from '../task/run-options.ts';
import { keptVerdict, type StageFacts, stageFacts } from '../task/stage-facts.ts';
import { ALL_STAGES, type StagePlan } from '../task/stage-plan.ts';
import { NOT_BEGUN, type StageEnd, type StageRun, type TaskRun } from '../task/stage-run.ts';
import {
  keepAnswer,
  noteRedo,
  passedCall,
  reopen,
  reopenForRedo,
  repairMarker,
  stageStatusOf,
} from '../task/stage-status.ts';
import type { OpenTask } from '../task/task.ts';
import { noteOutcome } from '../upkeep/note-outcome.ts';
import { recheckStage } from './recheck.ts';
import type { StageReport } from './report.ts';
import { verdictFailure } from './verdict-failure.ts';
import { withTreeLock } from './with-tree-lock.ts';
import type { EndedRun } from './write-report.ts';

/** @param checked before anything was paid: a prompt that is too large stops the stages before it too. */
export async function runStages(task: TaskRun, checked: CheckedStages): Promise<EndedRun> {
  const { open, options, context } = task;
  const { max_wallclock_sec: seconds } = open.manifest.budgets;
  const endsAtMs = seconds === undefined ? null : nowMs() + seconds * 1000;
  const reports: StageReport[] = [];
  const add = (report: StageReport) => {
    reports.push(report);
    context.ended?.(report);
  };
  const notes: string[] = [];
  let failure: Failure | null = null;
  let retryAt: string | null = null;
  let state: EndedRun['state'] = 'done';
  let exitCode: number = TOLLGATE_EXIT.ok;
  const names = open.plans.map(({ stage }) => stage.name);
  if (options.finished === 'trusted') noteRedo(open.journal, names, options);
  if (namesNoStage(options) && checked.repeated.length > 0) {
    const { ledger } = open.journal.read();
    const budget = `the budget of task ${open.task.id}, of whose ${budgetOf(ledger)} paid calls ${ledger.used} are used`;
    context.say(`${repeatWords(checked.repeated.length)} (${checked.repeated.join(', ')}), charged to ${budget}`);
  }
  /** The last stage that worked on the tree in this run. */
  let changedBy: string | null = null;
  for (const plan of open.plans) {
    if (state !== 'done') {
      add(untouched(open, plan));
      continue;
    }
    const run = stageRunOf(task, plan, endsAtMs);
    const first = options.finished === 'rechecked' ? await recheckStage(run, plan) : await goInto(run, plan, checked);
    // Its answer is gone, or is about another tree, or passed other acceptance commands. The gate checks it again, at no cost.
    const isOlder = first.how === 'done_earlier' && (first.kept || changedBy !== null || lacksAnswer(open, plan));
    const entered = isOlder ? await recheckStage(run, plan) : first;
    if (isOlder && changedBy !== null) notes.push(answeredBefore(open, plan, changedBy));
    if (entered.how === 'done_earlier') {
      add(untouched(open, plan));
      continue;
    }
    if (entered.how === 'stopped') {
      add(untouched(open, plan));
      state = 'interrupted';
      continue;
    }
    if (entered.how === 'refused') {
      add(untouched(open, plan));
      [state, exitCode, failure] = ['failed', entered.exitCode, entered.failure];
      continue;
    }
    const { end } = entered;
    const report = reportOf(open, plan, end);
    // The answer itself is not new.
    add(entered.how === 'rechecked' && end.how === 'done' ? { ...report, state: 'done_earlier' } : report);
    noteOutcome({ ...run.context, ...open, runId: run.runId, stage: plan.stage.name }, end);
    if (entered.how === 'ran') notes.push(...proposals(plan.stage.name, entered.prompt));
    if (end.how === 'done')
      context.say(`stage ${plan.stage.name}: ${entered.how === 'ran' ? 'done' : 'passed again'}`, 'step');
    else [state, exitCode] = [end.how, TOLLGATE_EXIT.failure];
    // A stage that only kept its answer has not worked on the tree.
    const hasWorked = entered.how === 'ran' && report.calls > 0;
    if (hasWorked && end.how === 'done' && plan.access !== 'read') changedBy = plan.stage.name;
    if (end.how === 'failed') failure = end.failure;
    if (end.how === 'interrupted') retryAt = end.retry_at;
  }
  if (state === 'done' && options.badVerdicts === 'fail')
    failure = await verdictFailure(open, reports, context.clock());
  if (state === 'done' && failure !== null) [state, exitCode] = ['failed', TOLLGATE_EXIT.failure];
  if (state === 'done') notes.push(...ofEarlierRuns(reports, open));
  return { state, exitCode, stages: reports, failure, notes, retryAt };
}

/** Whether the answer of a finished stage is missing or empty: a cache may hold the journal without the outputs. */
function lacksAnswer({ task, journal }: OpenTask, { stage }: StagePlan): boolean {
  const tool = passedCall(journal.read().ledger, stage.name)?.reserved.tool ?? stage.tool;
  const size = lookAt(outputsOf(task, { name: stage.name, tool }).out)?.size ?? 0;
  return size === 0;
}

const answeredBefore = ({ called }: OpenTask, { stage }: StagePlan, changedBy: string): string =>
  `stage ${stage.name} was answered before ${changedBy} worked on the tree again; \`${goOnLine(called, `--redo ${stage.name}`)}\` asks it about the tree as it is now`;

/** Says that the results are old: a run that ran nothing shows nothing about the current tree. */
function ofEarlierRuns(reports: readonly StageReport[], { called }: OpenTask): string[] {
  const times = reports.flatMap(({ checked_at, checked_by }) => (checked_by === 'earlier_run' ? [checked_at!] : []));
  if (times.length === 0 || times.length < reports.length) return [];
  return [
    `every result is of an earlier run (the last of ${times.sort().at(-1)}); \`${goOnLine(called, '--recheck')}\` looks at them again on the tree as it is now, and pays nothing`,
  ];
}

/** The options for the earlier stages have already been carried out. To repeat them would pay for those stages again. */
function namedFrom(stage: string, { plans }: OpenTask, { redo, keep }: RunOptions): Named {
  const names = plans.map((plan) => plan.stage.name);
  const isAhead = (name: string): boolean => names.indexOf(name) >= names.indexOf(stage);
  const wanted = redo.includes(ALL_STAGES) ? names.filter((name) => !keep.includes(name)) : redo;
  return { redo: wanted.filter(isAhead), keep: keep.filter(isAhead) };
}

type Ran = { how: 'ran'; prompt: Prompt; end: StageEnd };

async function goInto(
  run: StageRun,
  plan: StagePlan,
  checked: CheckedStages,
): Promise<Exclude<Entered, { how: 'ready' }> | Ran> {
  const entered = await enter(run, plan, checked);
  if (entered.how !== 'ready') return entered;
  const { prompt, redone } = entered;
  // A run without work does not load the code that makes calls.
  const { runStage } = await import('../stage/stage.ts');
  const turn = await withTreeLock(run, () => runStage({ ...run, redone }, prompt));
  return { how: 'ran', prompt, end: turn.how === 'done' ? turn.result : NOT_BEGUN };
}

type Entered =
  | { how: 'ready'; prompt: Prompt; redone: boolean }
  /** `kept`: the user keeps its answer in this run. */
  | { how: 'done_earlier'; kept: boolean }
  | { how: 'stopped' }
  | { how: 'refused'; failure: Failure; exitCode: number };

async function enter(run: StageRun, plan: StagePlan, checked: CheckedStages): Promise<Entered> {
  const { open, options, context, register } = run;
  const { name } = plan.stage;
  const closed = closedBy({ task: open.task, stateFolder: open.stateFolder, register });
  if (closed !== null) return refused(changedByOthersFailure(run, closed));
  const composed = await composeNow(run, plan, checked);
  if (context.stop.aborted) return { how: 'stopped' };
  if (composed.how === 'invalid') return refused(unpreparedFailure(run, composed.message));
  const status = stageStatusOf(plan, composed.prompt, open.journal, options);
  if (status.how === 'changed') {
    const planned = await checkStages(run, name);
    const changed = planned.how === 'changed' ? planned.changed : [changedOf(plan.stage, composed, status)];
    return refused(changedFailure(open, changed, namedFrom(name, open, options), context.clock()));
  }
  if (status.choice === 'keep') await keepAnswer(open.journal, name, composed.prompt);
  const redone = status.choice === 'redo';
  if (status.how === 'open') {
    const { prompt } = composed;
    const large = checked.tooLarge ?? (prompt.tooLarge === null ? null : { stage: plan.stage, prompt });
    if (large !== null)
      return refused(tooLargeFailure({ ...run, stage: large.stage }, large.prompt), TOLLGATE_EXIT.failure);
    await writePrompt(composed);
    if (redone) reopenForRedo(open.journal, name);
    else reopen(open.journal, name);
  }
  await repairMarker(open.task, open.journal, name);
  return status.how === 'open'
    ? { how: 'ready', prompt: composed.prompt, redone }
    : { how: 'done_earlier', kept: status.choice === 'keep' };
}

/** A prompt may contain answers of earlier stages, so its composition is reused only if nothing happened since. */
async function composeNow(
  run: StageRun,
  plan: StagePlan,
  { composed, offset }: CheckedStages,
): Promise<ComposedPrompt> {
  const { open, context } = run;
  const before = composed.get(plan.stage.name);
  // Variables that a task withholds from its CLIs must not reach their prompts either.
  const isSame = open.journal.read().offset === offset && open.manifest.security.env_allow === undefined;
  if (before !== undefined && isSame && !context.stop.aborted) return before;
  return composePrompt(run, plan, open.manifest.context.digest_policy);
}

const refused = (failure: Failure, exitCode: number = TOLLGATE_EXIT.badInput): Entered => ({
  how: 'refused',
  failure,
  exitCode,
});

/** The row of a stage that ended in this run. Facts from the journal fill the fields that the end does not contain. */
export function reportOf(open: OpenTask, plan: StagePlan, end: StageEnd): StageReport {
  const { record, gate } = end;
  const facts = factsOf(open, plan);
  const failure = end.how === 'failed' ? end.failure : null;
  return {
    ...facts,
    state: end.how,
    // After a stop, the run's own exit code counts, not that of the wrapper.
    exit_code: end.how === 'interrupted' ? null : (record?.wrapper_exit_code ?? null),
    duration_ms: record?.duration_ms ?? null,
    tokens: record?.usage.total_tokens ?? null,
    gate: gate === null ? null : gate.passed ? 'passed' : 'failed',
    verdict: gate?.verdict ?? null,
    class: failure?.class ?? null,
    reason: failure?.reason ?? null,
    evidence: failure?.evidence ?? null,
    retry_at: failure?.retry_at ?? null,
    calls: end.calls,
    session_id: record?.session_id ?? null,
    session: end.session ?? null,
    notes: (gate?.notes ?? []).map((note) => `${plan.stage.name}: ${note}`),
    changed: (gate?.changes ?? []).map((change) => open.hide(`${change.path} (${change.how})`)),
    passed_commands: (gate?.acceptance ?? []).flatMap((one) => (one.exit_code === 0 ? [one.command] : [])),
    // The warnings about the prompt are in the record as well.
    warnings: [
      ...new Set([...(end.calls === 0 ? earlierWarnings(facts) : (record?.warnings ?? [])), ...end.warnings]),
    ].map((warning) => `${plan.stage.name}: ${warning}`),
    left_out: record?.left_out ?? [],
  };
}

/** The row of a stage that this run has not reached, as the journal has it. */
export function untouched(open: OpenTask, plan: StagePlan): StageReport {
  const facts = factsOf(open, plan);
  // The run that finished the stage reported its other notes. Each run reports the verdict that is in force, and what it lacks.
  const said = keptVerdict(open.journal.read().ledger, facts.stage);
  const isReported = said === 'FAIL' || (said === null && facts.state === 'done_earlier');
  const notes = isReported ? verdictNotes(said, plan).map((note) => `${facts.stage}: ${note}`) : [];
  const warnings = earlierWarnings(facts).map((warning) => `${facts.stage}: ${warning}`);
  return { ...facts, calls: 0, session: null, notes, changed: [], passed_commands: [], warnings };
}

/** What the answer of an earlier run lacks, and which tool gave it. */
const earlierWarnings = ({ stand_ins, lacks }: StageFacts): string[] => [...stand_ins.map(standInWords), ...lacks];

const factsOf = ({ task, journal }: OpenTask, { stage }: StagePlan) =>
  stageFacts(task, journal.read().ledger, stage.name, stage.tool);

/** Commands from a brief are the model's proposal: they run only if the user allows it. */
const proposals = (stage: string, { proposedCommands }: Prompt): string[] =>
  proposedCommands.length === 0
    ? []
    : [
        `${stage}: the brief proposes to verify by ${proposedCommands.map((command) => `\`${command}\``).join(', ')}; put them into acceptance.commands, or run with --trust-brief`,
      ];

/** The context of one stage of a run. @param endsAtMs the task's wall clock, by the steady clock; null without one. */
export function stageRunOf<Task extends Composing>(
  task: Task,
  { stage, role, access }: StagePlan,
  endsAtMs: number | null,
): Task & Omit<StageRun, keyof TaskRun> {
  const { open, options, context } = task;
  const { security } = open.manifest;
  const contextOf = (each: Stage): RunContext => ({ ...context, environment: environmentIn(each, open, context) });
  return {
    ...task,
    options: { ...options, trustWorkspace: options.trustWorkspace || security.trust_workspace },
    context: contextOf(stage),
    contextOf,
    stage,
    role,
    access,
    wallLeftMs: () => endsAtMs && endsAtMs - nowMs(),
    redone: false,
  };
}

/** The environment in which the stage's CLI runs. The user's settings allow it the key of its account. */
function environmentIn({ account: name }: Stage, { manifest, accounts }: OpenTask, { environment }: RunContext) {
  const own = allowed(environment, manifest.security.env_allow);
  const account = accounts.find((one) => one.name === name);
  if (account === undefined) return own;
  const key = account.key === null ? {} : { [account.key]: environment[account.key] };
  return inAccount(account, accounts, { ...own, ...key });
}

/** The environment of the CLI: everything without a list, and with one also the variables that every program needs. */
function allowed(environment: NodeJS.ProcessEnv, names: readonly string[] | undefined): NodeJS.ProcessEnv {
  if (names === undefined) return environment;
  const kept = new Set([...names, ...NEEDED]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => kept.has(name)));
}

/** The last one is ours: the id of the call that encloses this run. */
const NEEDED = ['PATH', 'HOME', 'XDG_STATE_HOME', 'TMPDIR', 'LANG', 'TERM', 'TOLLGATE_STATE', 'TOLLGATE_CALL_ID'];
