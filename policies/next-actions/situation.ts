// What is known when a call has failed, as far as what to do next depends on it, and the lines that many ways out share.

import type { Ending } from '../facts/ending.ts';
import type { Verdict } from '../facts/evidence.ts';
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
  /** How the task was opened; without it, nothing goes on with the call but what `again` says. */
  called: CalledAs;
  tool: Tool;
  /** Of the call that failed; null where none is known. */
  sessionId?: string | null;
  ending?: Ending | null;
  /** Of the task's paid calls; absent where that is not known. */
  callsLeft?: number;
  /** Its paid calls in all; absent where that is not known. */
  budget?: number;
  /** What its session is kept under. */
  tag?: string;
  /** Does the manifest itself name the session to go on in? */
  namesSession?: boolean;
  /** Where the CLI is installed from. */
  packageName?: string;
  /** What asks again, in words, where no run of the task does. */
  again?: string;
  /** The CLI's whole stderr and its events, published; null where there are none. */
  stderrFile?: string | null;
  eventsFile?: string | null;
  /** Where the manifest says something of this stage; absent where the manifest is not known. */
  place?: (field: SituationField) => ManifestPlace;
  /** How the CLI is signed in, as far as its files and the environment tell. */
  key?: KnownKey | null;
  /** Characters of the prompt that was sent; absent where its size says nothing. */
  promptChars?: number;
  /** What of it is large, one sentence each. */
  largeParts?: readonly string[];
  /** Did the call go on in a session that was there before? */
  resumed?: boolean;
  /** Did its tools run before it failed? */
  ranTools?: boolean;
}

export type SituationField = 'model' | 'timeout_ms' | 'idle_timeout_ms' | 'start_timeout_ms' | 'max_turns' | 'cwd';

export interface ManifestPlace extends StagePlace {
  /** What is set there; a stand-in's model is its stage's `fallback`. */
  field: SetOfStage | 'cwd';
  /** As it is set; null where it is not. */
  value: string | number | null;
}

export type WayOut = (situation: Situation) => NextAction[];

export const rerun = (situation: Situation, text = `ask ${situation.tool} again`): NextAction =>
  goOn(situation, text, situation.called);

/** @param called as the next command is to be called. */
export const goOn = ({ again }: Situation, text: string, called: CalledAs, ...flags: string[]): NextAction =>
  again === undefined ? toType(text, goOnLine(called, ...flags), 'pays') : toDo(`${text}: ${again}`);

/** Was the call made by a caller of its own, and not by a stage? */
export const isOwnCall = ({ called }: Situation): boolean => called.wrapper !== undefined;

export const thenRerun = (situation: Situation): NextAction => rerun(situation, `then ask ${situation.tool} again`);

/** Five more than it has: what may be paid is for the user to say. */
export const raiseBudget = ({ called, budget = 10 }: Pick<Situation, 'called' | 'budget'>): NextAction =>
  forUser('budget', toType('raise the limit', taskLine(called, 'budget', `--set ${budget + 5}`)));

/** What a project describes is looked for where it is trusted alone. */
export const preflight = ({ called, tool }: Pick<Situation, 'called' | 'tool'>): NextAction =>
  toType(
    `check the installation and the sign-in of ${tool}, without a paid call`,
    preflightLine(called.launcher, `--tools ${tool}`, ...(isBuiltIn(tool) ? [] : ['--trust-workspace'])),
  );

/** The evidence is a line of it; the whole of what was said may lie in stderr. */
export const readFirst = ({ stderrFile }: Situation): NextAction[] => (stderrFile ? [toDo(`read ${stderrFile}`)] : []);

/** Without a time from the service: a few minutes, since the retries of this run came within seconds. */
export const later = (situation: Situation): NextAction => {
  const { tool, verdict } = situation;
  const when = verdict.retry_at === null ? 'in 5 minutes or later' : `not before ${verdict.retry_at}`;
  return rerun(situation, `${when}, ask ${tool} again`);
};

/** One sentence about a field of the stage: where it stands, or where it would. */
export function change(situation: Situation, field: SituationField, set: string, unset = set): NextAction {
  return toDo(changeWords(situation, field, set, unset));
}

function changeWords(situation: Situation, field: SituationField, set: string, unset: string): string {
  const { place } = situation;
  if (isOwnCall(situation)) return `${unset}: \`--${field.replaceAll('_', '-')}\``;
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
  /** A variable's name or a file, never what is in it. */
  { how: 'signed_in'; by: string } | { how: 'signed_out' | 'unclear'; because: string; mend: string };
