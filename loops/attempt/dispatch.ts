// What a dispatcher requests of the wrapper that it starts: a file in the private folder of the attempt, which the wrapper takes once.

import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OwnToolRow } from '../../policies/own-tool/description.ts';
import type { LeftOut } from '../../policies/prompt/left-out.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';

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
  /** What is sent before the text of its file, and what is to be known of it beside: that goes into the record. */
  prompt: { before: string; warnings: readonly string[]; left_out: readonly LeftOut[] };
}

const NAME = 'dispatch.json';
const FLAG = '--dispatch=';

/** @param attempts the task's. @returns the argument that hands it over. Throws what the operating system throws. */
export function writeDispatch(attempts: string, dispatch: Dispatch): string {
  const folder = path.join(attempts, dispatch.call_id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, NAME);
  writeFileSync(file, JSON.stringify(dispatch), { flag: 'wx', mode: 0o600 });
  return `${FLAG}${file}`;
}

/** `file`: where no dispatch is that could be taken; `null`: the wrapper was not started by a dispatcher. */
type Taken = { dispatch: Dispatch | null; argv: string[] } | { file: string };

/** Takes the file away: the same dispatch given twice would make a call without a budget. */
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
