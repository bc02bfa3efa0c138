// Caches the versions of CLIs without a package in the user's state: starting one costs up to two seconds.

import { closeSync, fstatSync, lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { partOf } from '../policies/text/json.ts';
import { makeFolders } from './disk/folder.ts';
import { openRegular, readWhole } from './disk/regular-file.ts';
import { replaceText } from './disk/replace-file.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './task-folder.ts';

/** A program at the time of the check. A program that differs in any of these is a different one. */
interface Checked {
  size: number;
  mtime_ms: number;
  asked_at_ms: number;
  /** null: it reported none. */
  version: string | null;
}

type Known = Record<string, Checked>;

/** A shim does not change while the CLI behind it is replaced. */
const FRESH_MS = 24 * 60 * 60 * 1000;
const MAX_BYTES = 256 * 1024;

/**
 * `undefined`: nothing is known of it. A file that others can write, or that is not regular, is ignored.
 * @param within the prefix and the CLI that the program starts by it; empty without a prefix.
 */
export function recallVersion(
  environment: NodeJS.ProcessEnv,
  program: string,
  nowMs: number,
  within = '',
): string | null | undefined {
  const file = fileIn(environment);
  if (file === null) return undefined;
  const known = readKnown(file)[program + within];
  const now = look(program);
  if (!isChecked(known) || now === null || !isFresh(known, nowMs)) return undefined;
  return known.size === now.size && known.mtime_ms === now.mtime_ms ? known.version : undefined;
}

/** Can an answer be cached? If not, each call would have to start the program again. */
export const keepsVersions = (environment: NodeJS.ProcessEnv): boolean => fileIn(environment) !== null;

/** Whole or not at all. Of two writers the last wins, and the other checks again. Not synced: it can be repeated. */
export function keepVersion(
  environment: NodeJS.ProcessEnv,
  program: string,
  version: string | null,
  nowMs: number,
  within = '',
): void {
  const [file, now] = [fileIn(environment), look(program)];
  if (file === null || now === null) return;
  const fresh = Object.entries(readKnown(file)).filter(([, known]) => isChecked(known) && isFresh(known, nowMs));
  const known: Known = { ...Object.fromEntries(fresh), [program + within]: { ...now, asked_at_ms: nowMs, version } };
  try {
    makeFolders(path.dirname(file));
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

/** A clock that was set back must not make an entry fresh for ever. */
const isFresh = ({ asked_at_ms }: Checked, nowMs: number): boolean =>
  asked_at_ms <= nowMs && nowMs - asked_at_ms < FRESH_MS;

function look(program: string): { size: number; mtime_ms: number } | null {
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

/** A user may have edited it. */
function isChecked(value: unknown): value is Checked {
  const { size, mtime_ms, asked_at_ms, version } = partOf(value) ?? {};
  return (
    [size, mtime_ms, asked_at_ms].every((number) => typeof number === 'number') &&
    (version === null || (typeof version === 'string' && VERSION.test(version)))
  );
}

const VERSION = /^\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?$/;
