// Defines a dispatcher's request to its wrapper: a file in the attempt's private folder, which the wrapper takes once.

import { unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Caps } from '../../policies/limits/caps.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';

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
  /** The CLI to call, if the project describes it, as it was read for the run. */
  own_tool?: OwnToolRow;
  /** The prefix of a built-in CLI, if the project gives it one, as it was read for the run. */
  prefix?: readonly string[];
  /** The text to send before the file's text, and facts about the prompt that go into the record. */
  prompt: { before: string; warnings: readonly string[]; left_out: readonly Omission[] };
}

const NAME = 'dispatch.json';
const FLAG = '--dispatch=';

/**
 * @param attempts the task's folder of attempts. @returns the argument that passes the dispatch. Throws the errors of the
 * operating system.
 */
export function writeDispatch(attempts: string, dispatch: Dispatch): string {
  const folder = path.join(attempts, dispatch.call_id);
  makeFolders(folder);
  const file = path.join(folder, NAME);
  writeFileSync(file, JSON.stringify(dispatch), { flag: 'wx', mode: 0o600 });
  return `${FLAG}${file}`;
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
