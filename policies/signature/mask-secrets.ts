// Masks the secrets in a line that are recognised by their form.

import { read, type Step } from './normalise.ts';
import { stripInvisible } from './tidy.ts';
import { TOKEN_CLASSES } from './token-classes.ts';

/** Replaces each secret with a placeholder. */
export function withoutSecrets(line: string): string {
  const text = stripInvisible(line);
  const steps: Step[] = [];
  read(text, {}, Number.POSITIVE_INFINITY, steps);
  let shown = '';
  let from = 0;
  for (const step of steps.filter((one) => SECRET.has(one.class))) {
    shown += text.slice(from, step.from) + step.piece;
    from = step.to;
  }
  return shown + text.slice(from);
}

const SECRET: ReadonlySet<string | null> = new Set(
  TOKEN_CLASSES.filter(({ isSecret }) => isSecret === true).map(({ name }) => name),
);
