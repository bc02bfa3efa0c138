// Notifies the processes that wait for a wrapper with wrong arguments or no dispatch, if no other file can be harmed.

import { lstatSync } from 'node:fs';
import { announce, publishDone } from '../../loops/attempt/announce.ts';
import { isGuarded, realPlace } from '../../loops/attempt/output-paths.ts';
import { tried } from '../../policies/text/tried.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectState, userState } from '../../state/task-folder.ts';
import { keepNoCache } from '../command.ts';
import type { Ran } from '../ran.ts';

/** Otherwise a marker and a pid file of an earlier call would pass for those of this call. */
export async function answerWaiters(argv: readonly string[], exit: number): Promise<void> {
  const doneMarker = fileOf(argv, 'done-marker', holdsMarker);
  const pidFile = fileOf(argv, 'pid-file', (text) => /^\d+\s*$/.test(text));
  if (doneMarker === null && pidFile === null) return;
  const announced = await announce({ pidFile, doneMarker });
  if (doneMarker === null) return;
  const [at, call_id] = [new Date().toISOString(), null];
  try {
    publishDone(doneMarker, { exit_code: exit, class: 'tooling', reason: 'usage', call_id, ...announced, at });
  } catch (error) {
    // The folder is not writable. So no earlier marker could be removed either, and the end of the process reports this failure.
    if (!isSystemError(error)) throw error;
  }
}

/** The dispatch was used before, or a user gave the flag. The marker must not report this as a call that was made. */
export async function undispatched(
  name: string,
  { file }: { file: string },
  argv: readonly string[],
  exit: number,
): Promise<Ran> {
  // Nothing ran that a code cache is made for.
  keepNoCache();
  await answerWaiters(argv, exit);
  const err = `${name}: nothing was started: ${file} is not a dispatch, or was used before. Leave --dispatch out: it is for the wrappers that tollgate run starts\n`;
  return { exit, err };
}

/** The file of a flag, unless another argument names it too, or a wrapper would not write its content there. */
function fileOf(argv: readonly string[], flag: string, isOurs: (text: string) => boolean): string | null {
  const named = argv.flatMap((word, i) =>
    word === `--${flag}` ? [argv[i + 1] ?? ''] : word.startsWith(`--${flag}=`) ? [word.slice(flag.length + 3)] : [],
  );
  const [file] = named;
  if (named.length !== 1 || !file || file.startsWith('-')) return null;
  const words = argv.map((word) => realPlace(word.replace(/^--[a-z-]+=/, '')));
  const states = { projectState: projectState(process.cwd(), process.env), userState: userState(process.env) };
  if (isGuarded(file, states)) return null;
  if (words.filter((word) => word === realPlace(file)).length !== 1) return null;
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return file;
    return isOurs(readRegular(file, MAX_BYTES)) ? file : null;
  } catch {
    return null;
  }
}

const MAX_BYTES = 64 * 1024;

const holdsMarker = (text: string): boolean => tried(() => typeof JSON.parse(text).exit_code === 'number') ?? false;
