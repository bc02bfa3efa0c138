// Calls a part of an iteration like any stage: the worker's with the current instruction, byte for byte.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { GateRecord } from '../../policies/facts/gate-record.ts';
import { iterationCells, iterationTable, workerTurn } from '../../policies/supervise/supervise-text.ts';
import type { Standing } from '../../policies/supervise/supervision.ts';
import { readTailIfFit } from '../../state/disk/regular-file.ts';
import { keptText } from '../../state/supervise/texts.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { reportOf, stageRunOf } from '../run/stages.ts';
import { withTreeLock } from '../run/with-tree-lock.ts';
import { findSession } from '../session/own-files.ts';
import { attempts } from '../stage/attempts.ts';
import { type Baseline, closeBaseline, openBaseline } from '../stage/baseline.ts';
import { paidAnswer } from '../stage/dispatch-call.ts';
import { gateAnswer } from '../stage/stage-gate.ts';
import { tooLargeFailure, unpreparedFailure } from '../task/failure.ts';
import { gateRecordOf } from '../task/gate-actions.ts';
import { composePrompt, type Prompt, writePrompt } from '../task/prompt.ts';
import { stageFacts } from '../task/stage-facts.ts';
import type { StageEnd, StageRun, TaskRun } from '../task/stage-run.ts';
import {
  interruptedBy,
  leftWith,
  type Part,
  type PartEnd,
  type PartRequest,
  type StepEnd,
  type SuperviseCourse,
  shownText,
  standingOf,
} from './supervision-run.ts';

export async function askPart(course: SuperviseCourse, task: TaskRun, request: PartRequest): Promise<StepEnd> {
  const { part, iteration, supervision, text } = request;
  const turn = { text, identity: `supervise ${supervision} ${iteration} ${part}` };
  const run: StageRun = { ...stageRunOf(task, course.plans[part], course.endsAtMs), turn };
  const composed = await composePrompt(run, run, run.open.manifest.context.digest_policy);
  if (run.context.stop.aborted) return interruptedBy('stopped before its call');
  if (composed.how === 'invalid')
    return leftWith({ ...unpreparedFailure(run, composed.message), exit_code: TOLLGATE_EXIT.failure });
  const { prompt } = composed;
  if (prompt.tooLarge !== null) return leftWith(tooLargeFailure(run, prompt));
  const before = request.before?.(run, prompt) ?? null;
  if (before !== null) return before;
  await writePrompt(composed);
  const worked = await withTreeLock(run, () => inItsTurn(course, run, prompt, request));
  return worked.how === 'stopped' ? interruptedBy('stopped while it waited for its turn') : worked.result;
}

async function inItsTurn(
  course: SuperviseCourse,
  run: StageRun,
  prompt: Prompt,
  { part, after }: PartRequest,
): Promise<StepEnd> {
  const baseline = await openBaseline(run, 'none');
  if (baseline !== null && 'how' in baseline) return leftWith(unpreparedFailure(run, baseline.message));
  let noted = false;
  try {
    const end = await answered(run, prompt, baseline);
    course.reports[part] = reportOf(run.open, course.plans[part], end);
    const outcome = await after({ run, prompt, end });
    noted = outcome.noted;
    return outcome.step;
  } finally {
    await closeBaseline(run, baseline, noted ? 'done' : 'open');
  }
}

/** Checks an answer that was paid for already, instead of calling the part again. */
function answered(run: StageRun, prompt: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  const paid = paidAnswer(run, prompt);
  if (paid === null) return attempts(run, prompt, baseline);
  const answering = { ...run, stage: { ...run.stage, tool: paid.tool } };
  return gateAnswer(answering, paid, prompt, baseline, 0, run.tampered.get(paid.call_id) ?? null);
}

/** @returns null for a part that has its session, or had none yet. */
export async function handOffs(course: SuperviseCourse): Promise<Record<Part, string | null>> {
  const { open, context } = course.task;
  const standing = standingOf(open);
  const none = { worker: null, reasoner: null };
  if (standing.rows.length === 0 || standing.step === 'done') return none;
  const { ledger } = open.journal.read();
  const note = noteOf(standing.rows.map((row) => iterationCells(row, shownText(open.task))));
  const of = async (part: Part): Promise<string | null> => {
    const { tool } = course.plans[part].stage;
    const { session_id: id } = stageFacts(open.task, ledger, part, tool);
    // A session of a described CLI has no files to look for: it is resumed by its id.
    if (id === null || adapterOf(tool).described !== undefined) return null;
    const found = await findSession(tool, id, { environment: context.environment, cwd: open.cwd });
    if (found !== null) return null;
    const message = `the session ${id} of the ${part} is not on this machine; a new session gets a summary of the work`;
    context.say(message);
    course.notes.push(message);
    return open.hide(note);
  };
  return { worker: await of('worker'), reasoner: await of('reasoner') };
}

const MAX_ROWS = 20;

const noteOf = (cells: Parameters<typeof iterationTable>[0]): string =>
  `# State of the work

This conversation continues the work of an earlier one, which no longer exists. The tree is as the earlier one left it.
What happened so far:

${iterationTable(cells, MAX_ROWS).join('\n')}
`;

export async function work(course: SuperviseCourse, standing: Standing): Promise<StepEnd> {
  const { open } = course.task;
  const instruction = keptText(open.task, standing.instruction);
  return course.asking.part(course, course.task, {
    part: 'worker',
    iteration: standing.iteration,
    supervision: standing.supervision!,
    text: workerTurn(instruction, course.handOff.worker),
    after: (ended) => noteWork(course, standing, ended),
  });
}

/** Passes the gate's findings to the reasoner. A failed call, or a changed judge, ends the loop like a run. */
async function noteWork(
  course: SuperviseCourse,
  { iteration }: Standing,
  { end }: PartEnd,
): Promise<{ step: StepEnd; noted: boolean }> {
  if (end.how === 'interrupted') return { step: interruptedBy('stopped at its worker', end.retry_at), noted: false };
  const { gate, record } = end;
  const isAnswered = gate !== null && record !== null && record.verdict.class === null;
  if (end.how === 'failed' && (!isAnswered || gate.findings.some(({ check }) => check === 'judge')))
    return { step: leftWith(end.failure), noted: false };
  course.handOff.worker = null;
  await course.task.open.journal.note({
    fact: 'worked',
    run_id: course.task.runId,
    iteration,
    call_id: record!.call_id,
    changed: gate?.changes?.length ?? 0,
    failed: (gate?.checks ?? []).flatMap(({ check, passed }) => (passed ? [] : [check])),
  });
  course.seen = seenOf(gate);
  return { step: null, noted: true };
}

/** Reads the last work's gate record; returns empty lists if it is gone. */
export function seenBefore({ task: { open } }: SuperviseCourse, { worked }: Standing): SuperviseCourse['seen'] {
  return seenOf(worked === null ? null : gateRecordOf(open.task, 'worker', worked));
}

export function seenOf(gate: GateRecord | null): NonNullable<SuperviseCourse['seen']> {
  if (gate === null) return { acceptance: [], findings: [] };
  const { acceptance, findings } = gate;
  return {
    acceptance: acceptance.map(({ command, ending, exit_code, output }) => {
      const passed = ending === 'exited' && exit_code === 0;
      return { command, passed, tail: passed ? '' : (readTailIfFit(output, MAX_TAIL_BYTES) ?? '') };
    }),
    findings: findings.map(({ text }) => text),
  };
}

const MAX_TAIL_BYTES = 20_000;
