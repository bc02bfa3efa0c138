// Describes a run's state or end as one object: its result, or class, reason and what to do next.

import type { CarriedEnd, CarriedStanding, CarriedStart } from '../../../loops/report/carried-run.ts';
import type { Verdict } from '../../../policies/facts/evidence.ts';
import { type NextAction, toDo, toType } from '../../../policies/facts/next-action.ts';
import { isLack } from '../../../policies/facts/requirements.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { shellWord } from '../../../policies/text/display.ts';
import { isRegular, readIfFit } from '../../../state/disk/regular-file.ts';
import type { ToolResult } from './tool.ts';

/** Reports a mistake in the input; nothing was paid. */
export const refused = (message: string): ToolResult => ({
  how: 'failed',
  object: {
    ...{ state: 'refused', class: 'tooling', reason: 'bad_input', message },
    next_actions: actionsAbout(message),
  },
});

/** What a client does about a mistake in its input. It has no use for the help of a command. */
export const actionsAbout = (message: string): NextAction[] => [
  ...(message.startsWith('there is no task at ') ? [toType('see which tasks there are', 'tollgate status')] : []),
  toDo('fix what the message names, and call again'),
];

export function answerOfRun(run_id: string, standing: CarriedStanding): ToolResult {
  switch (standing.how) {
    case 'unknown':
      return refused(`no run ${run_id} was begun in this project; the tool status tells which there are`);
    case 'running':
      return {
        how: 'done',
        object: {
          ...{ run_id, state: 'running', task: standing.start.task, since: standing.start.at },
          next_call: { tool: 'wait', arguments: { run_id } },
        },
      };
    case 'lost':
      return { how: 'failed', object: lost(run_id, standing.start) };
    case 'ended':
      if (standing.start.what === 'ask') return ofCall(standing.start, standing.end);
      if (standing.start.argv[0] === 'compare') return ofComparison(standing.end, run_id);
      return standing.start.argv[0] === 'distill' ? ofBook(standing.end, run_id) : ofTask(standing.start, standing.end);
  }
}

/** The process of the run was killed. If the run was of a task, the next run settles it. */
function lost(run_id: string, { what, task, argv: [verb = '', word = ''] }: CarriedStart): ToolResult['object'] {
  const next =
    what === 'run'
      ? (AGAIN[verb] ?? toType('settle what was paid for, and continue', `tollgate ${verb} ${shellWord(word)}`, 'pays'))
      : toDo(
          'wait some minutes and ask the same: what its CLI says may still be found; with again: true it is paid once more',
        );
  return {
    ...{ run_id, state: 'lost', task, class: 'transient', reason: 'lost' },
    ...{ message: 'the process of this run was killed', next_actions: [next] },
  };
}

const AGAIN: Readonly<Record<string, NextAction>> = {
  distill: toDo('call distill with the same arguments: it settles what was paid for, and continues'),
  compare: toDo('call compare with resume: "last": it settles what was paid for, and continues'),
};

/** A variant that is not done is a result, which the caller compares with the others. */
function ofComparison({ exit_code, object }: CarriedEnd, run_id: string): ToolResult {
  const { schema, ...view } = object;
  const isRefused = view.state === 'refused';
  const why = isRefused ? { class: 'tooling', reason: 'bad_input' } : {};
  return { how: isRefused ? 'failed' : 'done', object: { run_id, ...view, exit_code, ...why } };
}

/** A book that has paused needs its user, so that it is no success. */
function ofBook({ exit_code, object }: CarriedEnd, run_id: string): ToolResult {
  const { event, schema, ...view } = object;
  const isDone = exit_code === 0;
  const refusedWith = view.state === 'refused' ? { class: 'tooling', reason: 'bad_input' } : {};
  return { how: isDone ? 'done' : 'failed', object: { run_id, ...view, exit_code, ...refusedWith } };
}

interface Report {
  state?: string;
  message?: string | null;
  /** `lacks`: runs of earlier versions do not say it. */
  stages?: { stage: string; tool: string | null; state: string; answer: string | null; lacks?: readonly string[] }[];
  failure?: (Verdict & { signature: string | null; stage: string | null; tool: string | null }) | null;
  spent?: unknown;
  budget?: unknown;
  supervision?: { question: string | null } | null;
  next_actions?: NextAction[];
  class?: string;
}

function ofTask({ run_id, task }: CarriedStart, { exit_code, object }: CarriedEnd): ToolResult {
  const {
    state = 'refused',
    message = null,
    stages = [],
    failure = null,
    spent,
    budget,
    supervision = null,
    next_actions,
  } = object as Report;
  const warnings = stages.flatMap(({ stage, lacks = [] }) => lacks.map((lack) => `${stage}: ${lack}`));
  if (state === 'parked')
    return {
      how: 'done',
      object: {
        ...{ run_id, state, task, exit_code, question: supervision?.question ?? null, warnings },
        ...{ spent, budget },
        message: 'The reasoner has a question for the user. Ask the user, then call answer with the text.',
        next_call: { tool: 'answer', arguments: { task } },
      },
    };
  const isDone = exit_code === 0;
  const answered = stages.filter(({ answer }) => answer !== null).at(-1);
  const why = isDone ? {} : whyNot(failure, state, object as Report);
  const after = isDone
    ? {}
    : {
        next_call: { tool: 'explain_failure', arguments: { task } },
        next_actions: withTrust(failure, next_actions ?? []),
      };
  return {
    how: isDone ? 'done' : 'failed',
    object: {
      ...{ run_id, state, task, exit_code, message, ...why },
      stages: stages.map(({ stage, tool, state: stageState, answer }) => ({
        stage,
        tool,
        state: stageState,
        answer_file: answer,
      })),
      warnings,
      answer: answered === undefined ? null : readIfFit(answered.answer!),
      ...{ spent, budget, summary: `tollgate://task/${task}/summary`, ...after },
    },
  };
}

/** No tool of this server can trust a folder, and an agent should not type a flag that does. The user decides. */
function withTrust(failure: { reason: string | null } | null, actions: readonly NextAction[]): readonly NextAction[] {
  if (failure?.reason !== 'untrusted') return actions;
  const way =
    'Ask the user to run `tollgate trust` in it, or to register this server with: tollgate mcp --trust-workspace';
  const first = toDo(`The folder ${process.cwd()} is not trusted, so its CLI does not start. ${way}`);
  return [first, ...actions.map((action) => ({ ...action, text: 'when the user has trusted it, continue' }))];
}

function whyNot(failure: Report['failure'], state: string, { class: given }: Report) {
  if (failure) {
    const { class: errorClass, reason, evidence, retry_at, signature, stage, tool } = failure;
    return { class: errorClass, reason, evidence, retry_at, signature, failed_stage: stage, failed_tool: tool };
  }
  return state === 'refused' ? { class: given ?? 'tooling', reason: 'bad_input' } : { class: null, reason: state };
}

function ofCall({ run_id, tool, task, files, argv }: CarriedStart, { exit_code, object }: CarriedEnd): ToolResult {
  const record = object as Partial<CallRecord> & Report & { answer?: string };
  const { verdict, answer, session_id = null, usage, signature = null, message = null } = record;
  const warnings = (record.warnings ?? []).filter(isLack);
  const common = { run_id, tool, task, exit_code, warnings, session_id, tokens: usage?.total_tokens ?? null };
  if (exit_code === 0) {
    const file = `${files}/answer.md`;
    // The answer itself is in the state of the user, and outlives the folder of the project.
    return { how: 'done', object: { ...common, state: 'done', answer, answer_file: isRegular(file) ? file : null } };
  }
  if (verdict === undefined || verdict.class === null) {
    const { class: errorClass = 'tooling', next_actions = [toDo('fix what the message names, and call again')] } =
      record;
    return {
      how: 'failed',
      object: { ...common, state: 'refused', class: errorClass, reason: 'bad_input', message, next_actions },
    };
  }
  return {
    how: 'failed',
    object: {
      ...{ ...common, state: record.ending === 'cancelled' ? 'interrupted' : 'failed', signature, ...verdict },
      ...{
        stderr_file: `${files}/stderr.log`,
        next_actions: withTrust(
          verdict,
          (record.next_actions ?? []).flatMap((action) => inAsk(action, argv)),
        ),
      },
    },
  };
}

/** What the wrapper advises its caller, for the client of `ask`; nothing if it needs a flag that `ask` does not take. */
function inAsk({ command, ...action }: NextAction, argv: readonly string[]): NextAction[] {
  const text = action.text.replace(/`--([a-z-]+)( [^`]*)?`/g, (flag, name: string, value = '') =>
    Object.hasOwn(ASK_NAMES, name) ? `\`${ASK_NAMES[name as keyof typeof ASK_NAMES]}${value}\`` : flag,
  );
  if (command === undefined || !/\btollgate call\b/.test(command))
    return [{ ...action, text, ...(command === undefined ? {} : { command }) }];
  const [, flags = ''] = /\btollgate call(?: \w+)?((?: --\S+)*)/.exec(command)!;
  const names = flags
    .split(' --')
    .slice(1)
    .map((flag) => flag.replace(/=.*/, ''));
  const isTaken = (name: string) =>
    Object.hasOwn(ASK_NAMES, name) || argv.some((word) => word.replace(/=.*/, '') === `--${name}`);
  return names.every(isTaken) ? [{ ...action, text: `${text}: call ask with the same arguments` }] : [];
}

/** Its arguments that a text of the wrapper names as flags. */
const ASK_NAMES = {
  'timeout-ms': 'timeout_s',
  model: 'model',
  'max-tokens': 'max_tokens',
  'max-usd': 'max_usd',
  'resume-session': 'session',
} as const;
