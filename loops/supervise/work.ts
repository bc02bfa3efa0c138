// Runs the worker's part of an iteration: sends the current instruction byte for byte, and records the result.

import type { GateRecord } from '../../policies/facts/gate-record.ts';
import { workerTurn } from '../../policies/supervise/supervise-text.ts';
import type { Standing } from '../../policies/supervise/supervision.ts';
import { readTail } from '../../state/disk/regular-file.ts';
import { keptText } from '../../state/supervise/texts.ts';
import { isSystemError } from '../../state/system-error.ts';
import { gateRecordOf } from '../task/gate-actions.ts';
import { interruptedBy, leftWith, type PartEnd, type StepEnd, type SuperviseCourse } from './supervision-run.ts';

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

/**
 * Passes the gate's findings to the reasoner. A failed call, or an agent that changed its judge, ends the loop as it ends a run.
 */
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
      return { command, passed, tail: passed ? '' : tailOf(output) };
    }),
    findings: findings.map(({ text }) => text),
  };
}

const MAX_TAIL_BYTES = 20_000;

function tailOf(file: string): string {
  try {
    return readTail(file, MAX_TAIL_BYTES).text;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return '';
  }
}
