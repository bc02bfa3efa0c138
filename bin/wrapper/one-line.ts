// Completes a call in one line: a prompt without a file, and output without named files.

import { existsSync, fstatSync, mkdtempSync, rmSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newCallId } from '../../loops/attempt/phases.ts';
import type { WrapperRequest } from '../../loops/attempt/request.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectState, strayState } from '../../state/task-folder.ts';
import type { Arguments } from '../command-line.ts';

type Files = WrapperRequest['files'];

/** What a call in one line adds to the flags that were given. */
export interface OneLine {
  callId: string;
  files: Pick<Files, 'prompt' | 'out' | 'err' | 'result'>;
  /** The prompt, if it is an argument. */
  prompt: Buffer | null;
  /** The answer goes to stdout, since the caller named no file for it. */
  printsAnswer: boolean;
  /** The folder of the files that the caller did not name, to be shown; null if nothing is kept. */
  kept: string | null;
  /** Removes what is not to be kept. */
  close(): void;
}

/** @returns what is wrong with the arguments, or with the place of the files. */
export function completeOneLine({ text, given, words }: Arguments): OneLine | string {
  const [word] = words;
  const named = text['prompt-file'];
  if (word !== undefined && named !== undefined)
    return 'the prompt is given twice: as an argument and by --prompt-file';
  if (word === undefined && named === undefined && !hasInput())
    return 'there is no prompt: give it as an argument in quotes, by -f FILE, or on stdin';
  const callId = newCallId(new Date());
  const isKept = !given.has('no-files');
  const state = projectState(process.cwd(), process.env);
  const stray = isKept ? strayState(state, process.env) : null;
  if (stray !== null) return stray;
  const calls = path.join(state, 'calls');
  const folder = isKept ? path.join(calls, callId) : mkdtempSync(path.join(tmpdir(), 'tollgate-call-'));
  const unwritable = isKept ? keepOutOfGit(calls) : null;
  // With --result, a record tells it.
  if (unwritable !== null && text.result === undefined) return unwritable;
  const within = (name: string) => path.join(folder, name);
  return {
    callId,
    files: {
      prompt: named ?? (word === undefined ? '/dev/stdin' : 'the prompt'),
      out: text.out ?? within('answer.md'),
      err: text.err ?? within('stderr.txt'),
      result: text.result ?? (isKept ? within('call.json') : null),
    },
    prompt: word === undefined ? null : Buffer.from(word),
    printsAnswer: text.out === undefined,
    kept: isKept ? folder : null,
    close: () => {
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A terminal and /dev/null are no prompt. */
function hasInput(): boolean {
  let found: Stats;
  try {
    found = fstatSync(0);
  } catch {
    return false;
  }
  return found.isFile() || found.isFIFO() || found.isSocket();
}

/** @returns a sentence if nothing can be written there. */
function keepOutOfGit(calls: string): string | null {
  try {
    makeFolders(calls);
    if (!existsSync(path.join(calls, '.gitignore'))) publishText(path.join(calls, '.gitignore'), '*\n');
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `the call's files cannot be kept in ${calls} (${error.code}): add --no-files, or set TOLLGATE_STATE to a folder that you may write`;
  }
}

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** @returns the answer for stdout; null if the caller named a file for it, or there is none. */
export const answerOf = ({ printsAnswer, files }: OneLine): string | null =>
  printsAnswer ? readFollowedIfFit(files.out, MAX_ANSWER_BYTES) : null;
