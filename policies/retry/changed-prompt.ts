// Stages whose prompt is another than the one that was answered: what is said of them, and the ways out.

export interface ChangedPrompt {
  stage: string;
  /** `not_passed`: its answer was paid for, and did not pass its gate. */
  answer: 'done' | 'not_passed';
  /** What its prompt cannot take in now, each a sentence: often the reason why it changed. */
  warnings: readonly string[];
}

/** One sentence. @param changed at least one. */
export function changedSentence(changed: readonly ChangedPrompt[]): string {
  const warnings = [...new Set(changed.flatMap((one) => one.warnings))];
  const named = warnings.slice(0, NAMED_WARNINGS).map((warning) => ` (${warning})`);
  const more = warnings.length > NAMED_WARNINGS ? ` (and ${warnings.length - NAMED_WARNINGS} more)` : '';
  return `${sentenceOf(changed)}${named.join('')}${more}`;
}

const NAMED_WARNINGS = 3;

function sentenceOf(changed: readonly ChangedPrompt[]): string {
  if (changed.length === 1) return SENTENCE[changed[0]!.answer](changed[0]!.stage);
  const names = changed.map(({ stage, answer }) => `${stage}${answer === 'done' ? '' : ' (its answer did not pass)'}`);
  return `the prompts of ${changed.length} stages have changed since they were answered: ${names.join(', ')}; say --keep-all to keep their answers, --redo-all to pay for all of them again, or --keep STAGE and --redo STAGE for each`;
}

const SENTENCE = {
  done: (stage) =>
    `stage ${stage} is done, but its prompt has changed since; say --redo ${stage} to pay for it again, or --keep ${stage} to keep its answer`,
  not_passed: (stage) =>
    `stage ${stage} has an answer that was paid for and did not pass its gate, and its prompt has changed since (the scope and the acceptance commands are part of it); say --keep ${stage} to have that answer looked at again, or --redo ${stage} to pay for another`,
} as const satisfies Record<ChangedPrompt['answer'], (stage: string) => string>;

/** What the user said of stages by name. */
export interface Named {
  redo: readonly string[];
  keep: readonly string[];
}

/**
 * Lines to type, what is free first.
 * @param named with the run that was refused: it is not remembered, so the next one says it too.
 */
export function changedActions(taskId: string, changed: readonly ChangedPrompt[], { redo, keep }: Named): string[] {
  const [first, second] = changed;
  const flags = [...keep.map((stage) => ` --keep ${stage}`), ...redo.map((stage) => ` --redo ${stage}`)];
  const run = `tollgate run ${taskId}${flags.join('')}`;
  if (first !== undefined && second === undefined) {
    const kept = first.answer === 'done' ? 'keeps its answer' : 'looks at its answer again';
    return [
      `${run} --keep ${first.stage} (${kept}, pays nothing for it)`,
      `${run} --redo ${first.stage} (asks again, for one paid call)`,
    ];
  }
  return [
    `${run} --keep-all (keeps the answers of ${changed.map(({ stage }) => stage).join(', ')}, pays nothing for them)`,
    `${run} --redo-all (asks all of them again, for ${changed.length} paid calls)`,
    `${run} --dry-run (shows which prompts have changed, pays nothing)`,
  ];
}
