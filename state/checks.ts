// Runs preflight's checks of the place where state is kept, and of the limits over all tasks.

import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CheckAnswer, say } from '../policies/facts/finding.ts';
import { holdWords } from '../policies/limits/holds.ts';
import { shellWord } from '../policies/text/display.ts';
import { StrangeStateError } from './disk/strange-state-error.ts';
import { readHolds, readLimitsLedger, readUserLimits } from './limits/limits-files.ts';
import { limitsFiles } from './limits/limits-folder.ts';
import { nearestExisting, probeWrite, readVolume } from './volume.ts';

interface StatePlace {
  stateFolder: string;
  /** Returns what is mounted at a folder, by starting a program; null when none may be started. */
  sourceOf: ((folder: string) => Promise<string | null>) | null;
}

const ELSEWHERE = 'point TOLLGATE_STATE at a folder on a local disk that you may write';

export async function checkWritable({ stateFolder }: StatePlace): Promise<CheckAnswer> {
  const { at, isFolder } = nearestExisting(stateFolder);
  if (!isFolder) return say('fail', `${at} is a file, but state is kept in the folder ${stateFolder}`, ELSEWHERE);
  try {
    await probeWrite(at);
    return say('ok', stateFolder);
  } catch (error) {
    return say('fail', `${at} cannot be written: ${(error as Error).message}`, ELSEWHERE);
  }
}

/** Each call makes a private folder there. */
export async function checkTemporary({ environment }: { environment: NodeJS.ProcessEnv }): Promise<CheckAnswer> {
  const folder = path.resolve(environment.TMPDIR || tmpdir());
  try {
    await probeWrite(folder);
    return null;
  } catch (error) {
    const fix = `make it a folder that you may write (mkdir -p ${shellWord(folder)}), or unset TMPDIR`;
    return say('fail', `${folder} cannot be written: ${(error as NodeJS.ErrnoException).code}`, fix);
  }
}

const MIB = 1024 ** 2;

/** Below the first limit an answer may be lost. Below the second a few long answers will fill the disk. */
const FAIL_BELOW_BYTES = 100 * MIB;
const WARN_BELOW_BYTES = 1024 * MIB;
const FAIL_BELOW_FILES = 1000;

export async function checkSpace({ stateFolder }: StatePlace): Promise<CheckAnswer> {
  const { freeBytes, freeFiles } = readVolume(nearestExisting(stateFolder).at);
  return judgeSpace(freeBytes, freeFiles);
}

export function judgeSpace(freeBytes: number, freeFiles: number | null): CheckAnswer {
  const mib = Math.floor(freeBytes / MIB);
  const found = `${mib < 1024 ? `${mib} MiB` : `${(mib / 1024).toFixed(1)} GiB`} free`;
  const fix = 'free some disk space, or point TOLLGATE_STATE at another disk';
  if (freeFiles !== null && freeFiles < FAIL_BELOW_FILES)
    return say('fail', `room for ${freeFiles} more files only`, fix);
  if (freeBytes < FAIL_BELOW_BYTES) return say('fail', `${found}: an answer that was paid may not be saved`, fix);
  return freeBytes < WARN_BELOW_BYTES ? say('warn', found, fix) : say('ok', found);
}

/** On a network file system, appends of several machines to one file may be torn, and paid calls are counted by appends. */
export async function checkReach({ stateFolder, sourceOf }: StatePlace): Promise<CheckAnswer> {
  const { at } = nearestExisting(stateFolder);
  const { reach, kind } = readVolume(at);
  const source = reach === 'unknown' && sourceOf !== null ? await sourceOf(at) : null;
  if (reach === 'network' || isRemote(source))
    return say(
      'fail',
      `${at} is on a network file system (${source ?? kind}): paid calls cannot be counted there`,
      ELSEWHERE,
    );
  if (reach === 'shared') return say('warn', `${at} is on ${kind}, which other machines may share`, ELSEWHERE);
  return null;
}

/** `server:/folder`, or `//user@server/share`. */
export const isRemote = (source: string | null): boolean => source !== null && /^\/\/|^[^/]+:\//.test(source);

/** Can the limits be read, and what is on hold? Reports nothing if there is no limit and no hold. */
export function checkLimits(environment: NodeJS.ProcessEnv, now: Date): CheckAnswer {
  const files = limitsFiles(environment);
  if (files === null) return null;
  try {
    readUserLimits(files);
    readLimitsLedger(files);
  } catch (error) {
    if (error instanceof StrangeStateError) return say('fail', error.message, `fix what is in ${files.folder}`);
    throw error;
  }
  const holds = readHolds(files, now.getTime()).map(holdWords);
  return holds.length === 0 ? null : say('note', holds.join('; '), 'ask anyway: --ignore-hold');
}
