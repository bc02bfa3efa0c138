// Defines what is known about a failed call, as far as the next actions depend on it, and actions that many reasons share.

import type { Ending, Verdict } from '../facts/evidence.ts';
import {
  type CalledAs,
  forUser,
  goOnLine,
  type NextAction,
  preflightLine,
  taskLine,
  toDo,
  toType,
} from '../facts/next-action.ts';
import { isBuiltIn, type Tool } from '../facts/tools.ts';
import { placeWords, type StageField as SetOfStage, type StagePlace } from '../manifest/stage-place.ts';

export interface Situation {
  verdict: Verdict;
  /** ISO time at which the failed call began; absent if not known. */
  startedAt?: string;
  /** How the task was opened. Without it, only `again` describes how to continue the call. */
  called: CalledAs;
  tool: Tool;
  /** The tool that can work again at the verdict's time, if it is another one. */
  first?: Tool;
  /** The session of the failed call; null if none is known. */
  sessionId?: string | null;
  ending?: Ending | null;
  /** The remaining paid calls of the task; absent if not known. */
  callsLeft?: number;
  /** The total of the task's paid calls; absent if not known. */
  budget?: number;
  /** The tag under which its session is kept. */
  tag?: string;
  /** Whether the manifest itself names the session to resume. */
  namesSession?: boolean;
  /** Whether the caller named the model. */
  namesModel?: boolean;
  /** The package from which the CLI is installed. */
  packageName?: string;
  /** How to call again, in words, if no run of the task does it. */
  again?: string;
  /** The CLI's whole stderr and its events, published; null if there are none. */
  stderrFile?: string | null;
  eventsFile?: string | null;
  /** Where the manifest sets a field of this stage; absent if the manifest is not known. */
  place?: (field: SituationField) => ManifestPlace;
  /** How the CLI is signed in, as far as its files and the environment show. */
  key?: KnownKey | null;
  /** The length of the sent prompt in characters; absent if the size is not relevant. */
  promptChars?: number;
  /** The large parts of the prompt, one sentence each. */
  largeParts?: readonly string[];
  /** Whether the call resumed an existing session. */
  resumed?: boolean;
  /** Whether the call's tools ran before it failed. */
  ranTools?: boolean;
}

export type SituationField = 'model' | 'timeout_ms' | 'idle_timeout_ms' | 'start_timeout_ms' | 'max_turns' | 'cwd';

export interface ManifestPlace extends StagePlace {
  /** The field that is set there; for a fallback's model, it is the stage's `fallback`. */
  field: SetOfStage | 'cwd';
  /** The value that is set; null if it is not set. */
  value: string | number | null;
}

export type WayOut = (situation: Situation) => NextAction[];

export const rerun = (situation: Situation, text = `call ${situation.tool} again`): NextAction =>
  goOn(situation, text, situation.called);

/** @param called how the next command is called. */
export const goOn = ({ again }: Situation, text: string, called: CalledAs, ...flags: string[]): NextAction =>
  again === undefined ? toType(text, goOnLine(called, ...flags), 'pays') : toDo(`${text}: ${again}`);

/** Whether a separate caller made the call, and not a stage. */
export const isOwnCall = ({ called }: Situation): boolean => called.wrapper !== undefined;

export const thenRerun = (situation: Situation): NextAction => rerun(situation, `then call ${situation.tool} again`);

/** Raises the budget by five calls. The user decides how much may be paid. */
export const raiseBudget = ({ called, budget = 10 }: Situation): NextAction =>
  forUser('budget', toType('raise the limit', taskLine(called, 'budget', `--set ${budget + 5}`)));

/** A tool that a project describes is only found if the project is trusted. */
export const preflight = ({ called, tool }: { called: CalledAs; tool: Tool }): NextAction =>
  toType(
    `check the installation and the sign-in of ${tool}, without a paid call`,
    preflightLine(called.launcher, `--tools ${tool}`, ...(isBuiltIn(tool) ? [] : ['--trust-workspace'])),
  );

/** The evidence is one line of the output; stderr may contain the rest. */
export const readFirst = ({ stderrFile }: Situation): NextAction[] => (stderrFile ? [toDo(`read ${stderrFile}`)] : []);

/** If the service gives no time, the user waits a few minutes, since the retries of this run came within seconds. */
export const later = (situation: Situation): NextAction => {
  const { tool, first = tool, verdict } = situation;
  const when =
    verdict.retry_at === null ? 'no sooner than 5 minutes after the failure' : `not before ${verdict.retry_at}`;
  return rerun(situation, `${when}, call ${first} again`);
};

/** One sentence about a field of the stage, with the place where it is set or can be set. */
export function change(situation: Situation, field: SituationField, set: string, unset = set): NextAction {
  return toDo(changeWords(situation, field, set, unset));
}

function changeWords(situation: Situation, field: SituationField, set: string, unset: string): string {
  const { place, namesModel } = situation;
  if (isOwnCall(situation))
    return `${field === 'model' && namesModel ? set : unset}: \`--${field.replaceAll('_', '-')}\``;
  if (place === undefined) return `${unset}: \`${field}\` of the stage in the manifest`;
  const { at, unlisted, value, field: held } = place(field);
  if (unlisted !== null && held !== 'cwd') {
    const now = value === null ? '' : `; now ${value}`;
    return `${value === null ? unset : set}: \`${field}\` of the stage (${placeWords({ at, unlisted }, held)}${now})`;
  }
  if (value === null) return `${unset}: \`${field}\` in the stage at ${at}`;
  return `${set}: \`${field}\` in ${at} (now ${value})`;
}

/** How a CLI is signed in, as far as that is known. */
type KnownKey =
  /** The name of a variable or a file, never its content. */
  { how: 'signed_in'; by: string } | { how: 'signed_out' | 'unclear'; because: string; fix: string; config?: true };
