// Puts the proof of a row before other rows: which of them decide it?

import { TOOLS } from '../facts/tools.ts';
import type { Rule, Said } from '../rule/rule.ts';
import type { Clock } from '../time/clock.ts';
import { findRule, type Subject } from './match.ts';

/** Who may say it, and where. */
export type ProofOwner = Pick<Rule, 'tool' | 'source'>;

/** The row that decides, once for each tool that may say it; null where none does. */
export const decidersOf = (said: Said, whose: ProofOwner, rules: readonly Rule[], clock: Clock): (Rule | null)[] =>
  subjectsOf(said, whose).map((subject) => findRule(subject, rules, clock));

function subjectsOf({ exit, message = '', ...rest }: Said, { tool, source }: ProofOwner): Subject[] {
  const from = exit === undefined ? 'failure' : 'exit_code';
  return (tool === 'any' ? TOOLS : [tool]).map((by) => ({
    tool: by,
    source: source === 'any' ? from : source,
    failure: { message, ...rest },
    exit: exit ?? null,
  }));
}
