// Builds the reasoner's view: instruction, worker's answer, changes, acceptance results and the iterations so far.

import { iterationCells } from '../../policies/supervise/iteration-table.ts';
import type { Standing } from '../../policies/supervise/standing.ts';
import type { ReasonerView } from '../../policies/supervise/turn-text.ts';
import { readHead } from '../../state/disk/regular-file.ts';
import { keptText } from '../../state/supervise/texts.ts';
import { isSystemError } from '../../state/system-error.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { wholeDiff } from './changes.ts';
import type { SuperviseCourse } from './course.ts';
import { shownText } from './shown-text.ts';
import { seenBefore } from './work.ts';

const MAX_ANSWER_CHARS = 60_000;
const MAX_DIFF_CHARS = 60_000;

export async function viewOf(course: SuperviseCourse, standing: Standing): Promise<ReasonerView> {
  const { open } = course.task;
  const { iteration, worker, refused, question, rows } = standing;
  const changes = course.whole === null ? [] : await course.whole.look();
  const diff = changes.length === 0 ? null : await wholeDiff(course.task);
  course.seen ??= seenBefore(course, standing);
  const seen = course.seen!;
  return {
    iteration,
    instruction: keptText(open.task, standing.instruction),
    worker: worker === 'spared' ? null : headOf(outputsOf(open.task, course.plans.worker.stage).out),
    changed: changes.map(({ path, how }) => open.hide(`${path} (${how})`)),
    changedNow: rows.at(-1)?.changed ?? null,
    diff: diff === null ? null : cut(open.hide(diff), MAX_DIFF_CHARS),
    acceptance: seen.acceptance,
    findings: seen.findings,
    refused,
    question,
    notes: standing.notes.map(({ text }) => open.hide(keptText(open.task, text))),
    history: rows.slice(0, -1).map((row) => iterationCells(row, shownText(open.task))),
    handOff: course.handOff.reasoner,
  };
}

function headOf(file: string): { answer: string; cut: number } {
  try {
    const { text, cut: omitted } = cut(readHead(file, MAX_ANSWER_CHARS * 4).text, MAX_ANSWER_CHARS);
    return { answer: text, cut: omitted };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { answer: '', cut: 0 };
  }
}

const cut = (text: string, max: number): { text: string; cut: number } => ({
  text: text.slice(0, max),
  cut: Math.max(0, text.length - max),
});
