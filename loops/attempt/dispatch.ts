// Defines a dispatcher's request to its wrapper: a file that the wrapper takes once; and the lease that ends a call of a fleet.

import { existsSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { Caps } from '../../policies/limits/caps.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import { tried } from '../../policies/text/tried.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { readClocks } from '../../wrappers/steady-clock.ts';

export interface Dispatch {
  run_id: string;
  call_id: string;
  /** The hash of the stage's prompt that is to be answered; the text that is sent may be a digest of it. */
  for_prompt: string;
  /** How many calls the agent may charge to the task from within its call; none if absent. */
  nested_calls?: number;
  /** The task's own patterns of text that must not be published. */
  redaction_patterns: string[];
  /** The project's own rows, read once for the whole run. */
  own_rows: readonly OwnRow[];
  /** What the call may use of the task's budgets, with the prices of its project; absent if it may use any number. */
  caps?: Caps;
  /** Its timeout is the rest of its task's time. */
  timeout_of?: 'task';
  /** The CLI to call, if the project describes it, as it was read for the run. */
  own_tool?: OwnToolRow;
  /** The prefix of a built-in CLI, if the project gives it one, as it was read for the run. */
  prefix?: readonly string[];
  /** The file with the moment at which the call must have ended, since another machine may take its task over. */
  lease?: string;
  /** The text to send before the file's text, and facts about the prompt that go into the record. */
  prompt: { before: string; warnings: readonly string[]; left_out: readonly Omission[] };
}

const NAME = 'dispatch.json';
const FLAG = '--dispatch=';

/** @param attempts the task's folder of attempts. @returns the argument for the dispatch. Throws system errors. */
export function writeDispatch(attempts: string, dispatch: Dispatch): string {
  const folder = path.join(attempts, dispatch.call_id);
  makeFolders(folder);
  const file = path.join(folder, NAME);
  replaceText(file, JSON.stringify(dispatch));
  return `${FLAG}${file}`;
}

/** Withdraws the dispatch of a dead or done dispatcher. @returns whether its guardian can no longer begin. */
export function withdrawDispatch(attempts: string, callId: string): boolean {
  const folder = path.join(attempts, callId);
  try {
    unlinkSync(path.join(folder, NAME));
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return !existsSync(folder);
  }
}

/** `file`: the path of a dispatch that could not be taken; `null`: the wrapper was not started by a dispatcher. */
type Taken = { dispatch: Dispatch | null; argv: string[] } | { file: string };

/** Removes the file: a dispatch that is used twice would make a call without a budget. */
export function takeDispatch(given: readonly string[]): Taken {
  const word = given.find((one) => one.startsWith(FLAG));
  if (word === undefined) return { dispatch: null, argv: [...given] };
  const file = path.resolve(word.slice(FLAG.length));
  try {
    const dispatch = readJsonIfFit<Dispatch | null>(file);
    const [folder, name] = [path.basename(path.dirname(file)), path.basename(file)];
    if (name !== NAME || dispatch?.call_id !== folder || typeof dispatch.prompt?.before !== 'string') return { file };
    unlinkSync(file);
    return { dispatch, argv: given.filter((one) => one !== word) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { file };
  }
}

/** How often a guardian looks at the file. */
const LOOK_MS = 250;

/** Milliseconds since the machine started, with the time that it slept. */
export const leaseClock = (): number => readClocks().bootMs;

/** @param untilMs by {@link leaseClock}. */
export const writeLease = (file: string, untilMs: number): void => replaceText(file, JSON.stringify({ untilMs }));

/** @returns a signal that aborts with `stop`, or when the lease was not renewed. A lease that cannot be read is over. */
export function endWithLease(file: string, stop: AbortSignal): AbortSignal {
  const over = new AbortController();
  const look = () => {
    if ((readLease(file) ?? 0) > leaseClock()) return;
    clearInterval(timer);
    over.abort(LEASE_IS_OVER);
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  look();
  return AbortSignal.any([stop, over.signal]);
}

const LEASE_IS_OVER = "the end of its worker's lease: the database could not be reached in time";

const readLease = (file: string): number | null =>
  tried(() => readJsonIfFit<{ untilMs: number }>(file)?.untilMs ?? null);
