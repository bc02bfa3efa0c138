// Reports stages whose prompt differs from the one that was answered, and the possible next steps.

import { type CalledAs, goOnLine, type NextAction, toType } from '../facts/next-action.ts';
import { counted, firstNames } from '../text/display.ts';

export interface ChangedPrompt {
  stage: string;
  /** `not_passed`: its answer was paid for, and did not pass its gate. */
  answer: 'done' | 'not_passed';
  /** What its prompt cannot include now, each a sentence: often the reason why it changed. */
  warnings: readonly string[];
  /** The parts of its prompt that differ; empty if the earlier prompt no longer exists. */
  parts: readonly string[];
}

/** One sentence. @param changed at least one. */
export function changedSentence(changed: readonly ChangedPrompt[]): string {
  const warnings = [...new Set(changed.flatMap((one) => one.warnings))];
  const named = warnings.slice(0, NAMED_WARNINGS).map((warning) => ` (${warning})`);
  const more = warnings.length > NAMED_WARNINGS ? ` (and ${warnings.length - NAMED_WARNINGS} more)` : '';
  return `${sentenceOf(changed)}${partsOf(changed)}${named.join('')}${more}`;
}

/** What changed, of the first stages: those after them often changed by it. */
function partsOf(changed: readonly ChangedPrompt[]): string {
  const shown = changed.filter(({ parts }) => parts.length > 0).slice(0, NAMED_STAGES);
  const each = shown.map(({ stage, parts }) => {
    const names = firstNames(parts, NAMED_PARTS);
    return changed.length === 1 ? names : `of ${stage}: ${names}`;
  });
  return each.length === 0 ? '' : ` (changed: ${each.join('; ')})`;
}

const NAMED_STAGES = 3;
const NAMED_PARTS = 5;

const NAMED_WARNINGS = 3;

function sentenceOf(changed: readonly ChangedPrompt[]): string {
  if (changed.length === 1) return SENTENCE[changed[0]!.answer](changed[0]!.stage);
  const names = changed.map(({ stage, answer }) => `${stage}${answer === 'done' ? '' : ' (its answer did not pass)'}`);
  return `the prompts of ${changed.length} stages have changed since they were answered: ${names.join(', ')}; use --keep-all to keep their answers, --redo-all to pay for all of them again, or --keep STAGE and --redo STAGE for each`;
}

const SENTENCE = {
  done: (stage) =>
    `stage ${stage} is done, but its prompt has changed since; use --redo ${stage} to pay for it again, or --keep ${stage} to keep its answer`,
  not_passed: (stage) =>
    `stage ${stage} has an answer that was paid for and did not pass its gate, and its prompt has changed since (the scope and the acceptance commands are part of it); use --keep ${stage} to check that answer again, or --redo ${stage} to pay for another`,
} as const satisfies Record<ChangedPrompt['answer'], (stage: string) => string>;

/** The stages that the user named. */
export interface Named {
  redo: readonly string[];
  keep: readonly string[];
}

/**
 * The free actions first.
 *
 * @param named Includes the names of the refused run: they are not stored, so the next run must repeat them.
 */
export function changedActions(
  called: CalledAs,
  changed: readonly ChangedPrompt[],
  { redo, keep }: Named,
): NextAction[] {
  const [first, second] = changed;
  const said = [...keep.map((stage) => `--keep ${stage}`), ...redo.map((stage) => `--redo ${stage}`)];
  const run = (flag: string) => goOnLine(called, ...said, flag);
  if (first !== undefined && second === undefined) {
    const kept =
      first.answer === 'done' ? `keep the answer of ${first.stage}` : `check the answer of ${first.stage} again`;
    return [
      toType(`${kept} (free)`, run(`--keep ${first.stage}`)),
      toType(`or run ${first.stage} again, for one paid call`, run(`--redo ${first.stage}`), 'pays'),
    ];
  }
  const names = changed.map(({ stage }) => stage).join(', ');
  return [
    toType(`keep the answers of ${names} (free)`, run('--keep-all')),
    toType(`or run all of them again, for ${changed.length} paid calls`, run('--redo-all'), 'pays'),
    toType('or list the changed prompts (free)', run('--dry-run')),
  ];
}

/** Whether the user repeats stages without naming them. If so, the message lists them. */
export const namesNoStage = ({ redo, changed }: { redo: readonly string[]; changed: string }): boolean =>
  redo.includes('all') || changed === 'redo';

/** What is repeated, and what that costs at least: a stage after it may change by it, and a call may be retried. */
export const repeatWords = (stages: number, tasks?: number): string =>
  `${stages} answered ${stages === 1 ? 'stage is' : 'stages are'} repeated${tasks === undefined ? '' : ` in ${counted(tasks, 'task')}`}, for at least ${counted(stages, 'paid call')}`;
