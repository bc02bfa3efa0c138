// What a dispatcher tells the wrapper that it starts, in one variable of the environment; the CLI never sees it.

import type { OwnToolRow } from '../../policies/own-tool/description.ts';
import type { LeftOut } from '../../policies/prompt/left-out.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';

/** The variable's name. */
export const DISPATCH = 'TOLLGATE_DISPATCH';

export interface Dispatch {
  run_id: string;
  call_id: string;
  /** The hash of the stage's prompt that is to be answered; what is sent may be a digest of it. */
  for_prompt: string;
  /** How many calls the agent may charge to the task from within its call; absent is none. */
  nested_calls?: number;
  /** The task's own patterns of what must not be published. */
  redaction_patterns: string[];
  /** Of the project's own, read once for the whole run. */
  own_rows: readonly OwnRow[];
  /** The CLI that is to be called, where the project describes it: as it was read for the run. */
  own_tool?: OwnToolRow;
  /** What is to be known of the prompt beside its text: it goes into the record. */
  prompt: { warnings: readonly string[]; left_out: readonly LeftOut[] };
}

/** null for a wrapper that somebody else started. */
export function readDispatch(environment: NodeJS.ProcessEnv): Dispatch | null {
  const text = environment[DISPATCH];
  return text === undefined ? null : (JSON.parse(text) as Dispatch);
}

/** The environment without it: a call that an agent makes from within is none of this run's. */
export function withoutDispatch(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [DISPATCH]: _, ...rest } = environment;
  return rest;
}
