// Quotes what later stages found in a stage's last work, as text before its prompt when the stage is called again.

import path from 'node:path';
import { writerOf } from '../../policies/gate/next-actions.ts';
import { promptLimit } from '../../policies/manifest/prompt-limits.ts';
import { figure } from '../../policies/text/display.ts';
import { fenced, fenceWord } from '../../policies/text/fence.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { lineOfStages } from './gate-actions.ts';
import type { StageRun } from './stage-run.ts';
import type { OpenTask } from './task.ts';

/**
 * @param promptChars the length of the prompt that follows: both together must fit the limit of the stage's tool.
 * @returns an empty text if nothing was found, or if another stage must fix it.
 */
export function feedbackFor(
  { open, stage }: { open: OpenTask; stage: StageRun['stage'] },
  promptChars: number,
): string {
  const { plans, journal, task, hide, project } = open;
  const room = Math.min(MAX_CHARS, promptLimit(project.prompts, stage.tool, stage.model) - promptChars - FRAME_CHARS);
  const { gates } = journal.read().ledger;
  const found = plans.flatMap((plan) => {
    const gate = gates.get(plan.stage.name);
    if (gate === undefined || gate.passed || writerOf(lineOfStages(plans), plan.stage.name)?.stage !== stage.name)
      return [];
    const finding = FOUND[gate.reason ?? ''];
    const text =
      finding === undefined ? null : readIfFit(finding.file(task.outputs, outputsOf(task, plan.stage).out, gate.stage));
    return finding === undefined || text === null ? [] : [finding.say(gate.stage, hide(text), Math.max(0, room))];
  });
  return found.map((text) => `${text}\n`).join('');
}

interface Found {
  file(outputs: string, answer: string, stage: string): string;
  /** @param room how much of the text may be quoted, in characters. */
  say(stage: string, text: string, room: number): string;
}

const MAX_CHARS = 20_000;
/** The sentence and the fence around the text. */
const FRAME_CHARS = 600;

/** By the gate's reason. The words of agents and commands are data. */
const FOUND: Record<string, Found> = {
  acceptance_failed: {
    file: (outputs, _, stage) => path.join(outputs, `${stage}.acceptance.log`),
    say: (stage, log, room) =>
      section(
        `After your last work on this task the acceptance commands failed (stage ${stage}). Mend what fails; this is ${shown(log, room, 'end')} of their log:`,
        'the log of the acceptance commands',
        room === 0 ? '' : log.slice(-room),
      ),
  },
  verdict_fail: {
    file: (_, answer) => answer,
    say: (stage, answer, room) =>
      section(
        `Your last work on this task was judged not good enough (stage ${stage}). Mend what it names; this is ${shown(answer, room, 'beginning')} of its answer:`,
        `the answer of ${stage}`,
        answer.slice(0, room),
      ),
  },
};

/** Says how much of the text is quoted, so that nothing is omitted silently. */
const shown = (text: string, room: number, part: 'beginning' | 'end'): string =>
  text.length <= room ? 'the whole' : `the ${part} (${figure(room)} of ${figure(text.length)} characters)`;

const section = (first: string, label: string, text: string): string =>
  `${first}\n\n${fenced(fenceWord([text]), label, text)}`;
