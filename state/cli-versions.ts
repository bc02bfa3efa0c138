// What the CLIs that belong to no package said of their version, in the user's state: starting one costs up to two seconds.

import { closeSync, fstatSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { openRegular, readWhole } from './disk/regular-file.ts';
import { replaceText } from './disk/replace-file.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './user-state.ts';

/** A program as it was when it was asked; one that differs in any of these is another one. */
interface Asked {
  size: number;
  mtime_ms: number;
  asked_at_ms: number;
  /** null: it said none. */
  version: string | null;
}

type Known = Record<string, Asked>;

/** A shim stays what it is while the CLI behind it is replaced. */
const FRESH_MS = 24 * 60 * 60 * 1000;
const MAX_BYTES = 256 * 1024;

/** `undefined`: nothing is known of it. A file that is not ours alone, or no regular one, says nothing. */
export function recallVersion(
  environment: NodeJS.ProcessEnv,
  program: string,
  nowMs: number,
): string | null | undefined {
  const file = fileIn(environment);
  if (file === null) return undefined;
  const asked = readKnown(file)[program];
  const now = look(program);
  if (!isAsked(asked) || now === null || !isFresh(asked, nowMs)) return undefined;
  return asked.size === now.size && asked.mtime_ms === now.mtime_ms ? asked.version : undefined;
}

/** Can an answer be kept? Where it cannot, each call would have to ask again. */
export const keepsVersions = (environment: NodeJS.ProcessEnv): boolean => fileIn(environment) !== null;

/** Whole or not at all; of two writers the last one wins, and the other asks once more. Not synced: it can be asked again. */
export function keepVersion(
  environment: NodeJS.ProcessEnv,
  program: string,
  version: string | null,
  nowMs: number,
): void {
  const [file, now] = [fileIn(environment), look(program)];
  if (file === null || now === null) return;
  const fresh = Object.entries(readKnown(file)).filter(([, asked]) => isAsked(asked) && isFresh(asked, nowMs));
  const known: Known = { ...Object.fromEntries(fresh), [program]: { ...now, asked_at_ms: nowMs, version } };
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if (!isOurs(path.dirname(file))) return;
    replaceText(file, `${JSON.stringify(known, null, 2)}\n`);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

const fileIn = (environment: NodeJS.ProcessEnv): string | null => {
  const folder = userState(environment);
  return folder && path.join(folder, 'cli-versions.json');
};

/** A clock that was put back makes nothing fresh for ever. */
const isFresh = ({ asked_at_ms }: Asked, nowMs: number): boolean =>
  asked_at_ms <= nowMs && nowMs - asked_at_ms < FRESH_MS;

function look(program: string): Pick<Asked, 'size' | 'mtime_ms'> | null {
  try {
    const { size, mtimeMs } = statSync(program);
    return { size, mtime_ms: mtimeMs };
  } catch {
    return null;
  }
}

function isOurs(place: string): boolean {
  const { uid, mode } = lstatSync(place);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

function readKnown(file: string): Known {
  try {
    if (!isOurs(path.dirname(file))) return {};
    const fd = openRegular(file);
    try {
      if (fstatSync(fd).uid !== process.getuid?.()) return {};
      const known: unknown = JSON.parse(readWhole(fd, file, MAX_BYTES).toString('utf8'));
      return typeof known === 'object' && known !== null ? (known as Known) : {};
    } finally {
      closeSync(fd);
    }
  } catch {
    return {};
  }
}

/** A person may have edited it. */
function isAsked(value: unknown): value is Asked {
  const { size, mtime_ms, asked_at_ms, version } = (value ?? {}) as Partial<Asked>;
  return (
    [size, mtime_ms, asked_at_ms].every((number) => typeof number === 'number') &&
    (version === null || (typeof version === 'string' && VERSION.test(version)))
  );
}

const VERSION = /^\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?$/;
