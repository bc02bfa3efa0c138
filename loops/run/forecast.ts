// Forecasts a run: for each stage its arguments, and its prompt's size and hash. Pays nothing, writes nothing.

import { stopExit } from '../../policies/facts/exit-codes.ts';
import { actionLine, inOrder, type NextAction } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { paidRun } from '../../policies/gate/next-actions.ts';
import { tooLargeWords } from '../../policies/manifest/prompt-limits.ts';
import { type Omission, omissionWords } from '../../policies/prompt/omissions.ts';
import { tagOf } from '../../policies/session/session-entry.ts';
import { changedActions } from '../../policies/verdict/changed-prompt.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { readSessions } from '../../state/sessions/sessions-file.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { inspectTask } from '../guard/enter-task.ts';
import { paidAnswer } from '../stage/dispatch-call.ts';
import { beforeFirst } from '../stage/first-prompt.ts';
import { HANDED_ON, resolveSession } from '../stage/resolve.ts';
import { feedbackFor } from '../task/feedback.ts';
import { checkStages } from '../task/plan.ts';
import { composePrompt, type Prompt } from '../task/prompt.ts';
import type { RunContext, RunRequest } from '../task/run-context.ts';
import {
  fieldsWithoutEffect,
  ownFlagsOf,
  requirementsOfStage,
  type StagePlan,
  supervisedMistake,
} from '../task/stage-plan.ts';
import { type StageStatus, stageStatusOf } from '../task/stage-status.ts';
import { type OpenTask, openTask } from '../task/task.ts';
import { lookIntoWorktree } from './worktree.ts';

export interface Forecast {
  schema: 1;
  task_id: string;
  stages: StageForecast[];
  budget: { used: number; total: number };
  notes: string[];
  next_actions: NextAction[];
}

interface StageForecast {
  stage: string;
  /** `prompt_changed`: a run refuses until the user decides about the existing answer. */
  state: 'to_run' | 'done_earlier' | 'prompt_changed';
  /** The CLI and its arguments, without those from an overlay of the user's own settings. */
  argv: string[];
  prompt_chars: number;
  prompt_sha256: string;
  digest: string;
  /** The parts that the digest omits from the prompt. */
  left_out: readonly Omission[];
  parts: Prompt['parts'];
  acceptance_commands: string[];
  warnings: string[];
  /** Only if requested, and for a stage that would be called. */
  prompt?: ShownPrompt;
}

type Foreseen =
  | { how: 'done'; forecast: Forecast }
  | { how: 'invalid'; message: string }
  | { how: 'not_run'; exitCode: number; message: string };

/** @param prompts whether they are shown, too. @param draft the manifest's future text; the task need not exist. */
export async function foreseeTask(
  request: RunRequest,
  prompts: 'shown' | 'sized' = 'sized',
  draft: string | null = null,
): Promise<Foreseen> {
  const { word, options, context } = request;
  const looking = { ...context, ...options, word, draft };
  const entrance = inspectTask(looking);
  if (entrance.how === 'invalid') return entrance;
  const opened = await openTask({ ...looking, found: entrance.found }, 'look');
  if (opened.how === 'invalid') return opened;
  const supervised = supervisedMistake(opened.open);
  if (supervised !== null) return { how: 'invalid', message: supervised };
  const open = lookIntoWorktree(opened.open) ?? opened.open;
  const { stop } = context;
  const composing = { options, context, open };
  const stopped = () => ({ how: 'not_run', exitCode: stopExit(stop), message: STOPPED }) as const;
  const checked = await checkStages(composing);
  if (checked.how === 'stopped') return stopped();
  if (checked.how === 'invalid') return checked;
  const stages: StageForecast[] = [];
  const { ledger } = open.journal.read();
  const budget = { used: ledger.used, total: budgetOf(ledger) };
  let calls = 0;
  for (const plan of open.plans) {
    const composed = await composePrompt(composing, plan, open.manifest.context.digest_policy);
    if (stop.aborted) return stopped();
    if (composed.how === 'invalid') return composed;
    const { prompt } = composed;
    const { how, ...status } = stageStatusOf(plan, prompt, open.journal, options);
    const session = await sessionOf(request, open, plan, stages.length);
    const before = stages.filter(({ state }) => state === 'to_run').map(({ stage }) => stage);
    const showing = { open, plan, context, text: composed.text, before, fresh: session.fresh };
    const redone = 'choice' in status && status.choice === 'redo';
    // A paid answer is only checked again.
    const needsCall = how === 'open' && paidAnswer({ open, stage: plan.stage, redone }, prompt) === null;
    if (needsCall) calls += 1;
    const isShown = prompts === 'shown' && how !== 'done_earlier';
    stages.push({
      stage: plan.stage.name,
      state: STATES[how],
      argv: argvOf(request, open, plan, session.id),
      ...(isShown ? { prompt: await showPrompt(showing) } : {}),
      prompt_chars: prompt.chars,
      prompt_sha256: prompt.sha256,
      digest: prompt.digest,
      left_out: prompt.leftOut,
      parts: prompt.parts,
      acceptance_commands: prompt.acceptanceCommands,
      warnings: [
        ...overLimit(plan.stage.tool, prompt),
        ...(needsCall ? overBudget(budget, calls) : []),
        ...prompt.warnings,
      ],
    });
  }
  const refused = open.refusedTrust === null ? [] : [open.refusedTrust];
  const notes = [...refused, ...open.notes, ...fieldsWithoutEffect(open), ...unsettled(stages)];
  const next_actions =
    checked.how === 'changed'
      ? changedActions(open.called, checked.changed, options).filter(({ command }) => !command?.includes(' --dry-run'))
      : inOrder([paidRun({ called: open.called, budget }, calls, 'run it')]);
  return { how: 'done', forecast: { schema: 1, task_id: open.task.id, stages, budget, notes, next_actions } };
}

const STOPPED = 'stopped while it looked through the stages';

const STATES = { open: 'to_run', done_earlier: 'done_earlier', changed: 'prompt_changed' } as const satisfies Record<
  StageStatus['how'],
  StageForecast['state']
>;

/** The run would stop at this stage. */
const overLimit = (tool: Tool, { tooLarge }: Prompt): string[] =>
  tooLarge === null
    ? []
    : [`${tooLargeWords(tool, tooLarge)}: the run would end with prompt_too_large, and pay nothing`];

/** @param calls up to and including the stage; a retry would need more. */
const overBudget = ({ used, total }: Forecast['budget'], calls: number): string[] =>
  used + calls <= total
    ? []
    : [
        `no paid call remains for it (${total} in all): the run would end with quota (budget) here, and pay nothing for it`,
      ];

/** A prompt that will contain an answer of a stage that has not run is not known yet. */
const unsettled = (stages: readonly StageForecast[]): string[] =>
  stages.filter(({ state }) => state === 'to_run').length > 1
    ? ['prompts after the first stage to run may still change: they may hold what earlier stages answer']
    : [];

interface ForeseenSession {
  /** The session that the stage would resume; null for a new one. */
  id: string | null;
  /** The content at the start of a new session. */
  fresh: Showing['fresh'];
}

async function sessionOf(
  request: RunRequest,
  open: OpenTask,
  { stage }: StagePlan,
  before: number,
): Promise<ForeseenSession> {
  const { manifest, task, plans, stateFolder } = open;
  const isNamed = manifest.meta.session_id !== undefined;
  // A session that an earlier stage of this run will create is not known yet.
  if (!isNamed && plans.slice(0, before).some((plan) => plan.stage.tool === stage.tool))
    return { id: '<its session>', fresh: null };
  const tag = tagOf(manifest.meta.feature, task.id);
  const sessions = await readSessions(stateFolder, request.context.clock, 'in_place');
  const resolved = await resolveSession({ context: request.context, open, stage }, tag, sessions);
  if (resolved.use !== 'new') return { id: resolved.entry.session_id, fresh: null };
  return {
    id: null,
    fresh: { tag, overflowed: resolved.replaced !== null && HANDED_ON.has(resolved.replaced.because) },
  };
}

function argvOf(
  { options, context }: RunRequest,
  { manifest, cwd, project }: OpenTask,
  { stage, access }: StagePlan,
  session: string | null,
): string[] {
  const adapter = adapterOf(stage.tool);
  const argv = adapter.argv(
    {
      model: stage.model ?? null,
      resumeSession: session,
      newSession: adapter.sessionId === 'chosen' ? '<new session>' : '',
      access,
      maxTurns: stage.max_turns ?? null,
      innerRetries: 'cut',
      trustWorkspace: options.trustWorkspace || manifest.security.trust_workspace,
      cwd,
      environment: context.environment,
      requires: requirementsOfStage(stage),
      own: ownFlagsOf(stage),
    },
    [],
  );
  return [...(project.prefixes[stage.tool] ?? adapter.prefix ?? []), adapter.binary, ...argv];
}

const WORDS = {
  to_run: 'would be called',
  done_earlier: 'done earlier, no call',
  prompt_changed:
    'answered, but its prompt has changed since: a run refuses without --keep, --redo, --keep-all or --redo-all',
} as const satisfies Record<StageForecast['state'], string>;

/** For people. */
export function showForecast({ task_id, stages, budget, notes, next_actions }: Forecast): string {
  const lines = stages.flatMap(
    ({ stage, state, argv, prompt_chars, prompt_sha256, digest, left_out, warnings, acceptance_commands }) => [
      `${stage}: ${WORDS[state]}`,
      `  ${argv.join(' ')}`,
      `  prompt: ${prompt_chars} characters, digest ${digest}`,
      `  sha256: ${prompt_sha256}`,
      ...left_out.map((part) => `  left out: ${omissionWords(part)}`),
      ...acceptance_commands.map((command) => `  then: ${command}`),
      ...warnings.map((warning) => `  warning: ${warning}`),
    ],
  );
  const calls = stages.filter(({ state }) => state === 'to_run').length;
  const left = Math.max(0, budget.total - budget.used);
  const paid =
    calls === 0
      ? 'no paid call'
      : `${calls} paid ${calls === 1 ? 'call' : 'calls'} for ${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}, more with retries, at most the ${left} that remain of ${budget.total}; price unknown`;
  const head = `Task ${task_id}: a run needs ${paid}. Nothing was paid.`;
  const below = [
    ...notes.map((note) => `Note: ${note}`),
    ...next_actions.map((action) => `Next: ${actionLine(action)}`),
  ];
  return `${[head, '', ...lines, ...below, ...stages.flatMap(promptLines)].join('\n')}\n`;
}

function promptLines({ stage, prompt }: StageForecast): string[] {
  if (prompt === undefined) return [];
  if (prompt.text === null)
    return ['', `${stage}: its prompt will hold the answers of ${prompt.waits_for.join(', ')}, and is not known yet`];
  return ['', `${stage}: its prompt, as it would be sent:`, '', prompt.text.trimEnd()];
}

export interface ShownPrompt {
  /** Redacted, and with the CLI's own syntax escaped; null if the prompt is not known yet. */
  text: string | null;
  /** The stages that still have to run, and whose answers the prompt will contain. */
  waits_for: string[];
}

interface Showing {
  open: OpenTask;
  plan: StagePlan;
  context: RunContext;
  /** As it was composed. */
  text: string;
  /** The earlier stages that would be called. */
  before: readonly string[];
  /** The content at the start of a new session; null if a session is resumed. */
  fresh: { tag: string; overflowed: boolean } | null;
}

/** Returns the prompt as it would be sent now, or names the stages whose answers it needs. */
async function showPrompt({ open, plan, context, text, before, fresh }: Showing): Promise<ShownPrompt> {
  const { stage, role } = plan;
  const waits_for = open.plans
    .filter((earlier) => before.includes(earlier.stage.name))
    .filter((earlier) => earlier.role.handsOff || role.reads.includes(earlier.stage.role))
    .map((earlier) => earlier.stage.name);
  if (waits_for.length > 0) return { text: null, waits_for };
  const withFeedback = `${feedbackFor({ open, stage }, text.length)}${text}`;
  const whole = fresh === null ? withFeedback : `${await beforeFirst({ open, stage, context }, fresh)}${withFeedback}`;
  const sent = adapterOf(stage.tool).prompt.escape(Buffer.from(whole).toString('latin1'));
  return { text: Buffer.from(sent, 'latin1').toString('utf8'), waits_for };
}
