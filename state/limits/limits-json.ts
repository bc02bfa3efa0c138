// Reads the JSON files of the limits over all tasks, and reports a mistake before anything is paid.

import { makeFolder } from '../disk/folder.ts';
import { isAbsent, readRegularOrNull } from '../disk/regular-file.ts';
import { publishText } from '../disk/replace-file.ts';
import { StrangeStateError } from '../disk/strange-state-error.ts';
import { isSystemError } from '../system-error.ts';

/**
 * Throws StrangeStateError for an unusable file.
 * @param mistake What is wrong with the value, or null.
 * @param fix How to fix it, a sentence.
 */
export function readLimitsJson<T>(file: string, absent: T, mistake: (value: unknown) => string | null, fix: string): T {
  const strange = (why: string) => new StrangeStateError(why, `nothing was started. ${fix}`);
  let text: string | null;
  try {
    text = readRegularOrNull(file);
  } catch (error) {
    if (isSystemError(error)) throw strange(error.message);
    throw error;
  }
  if (text === null && isAbsent(file)) return absent;
  if (text === null) throw strange(`${file} cannot be reached: a link on the way to it leads nowhere`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw strange(`${file} is no JSON`);
  }
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version > 1)
    throw strange(`${file} was written by a newer version: update tollgate`);
  const wrong = mistake(value);
  if (wrong !== null) throw strange(`${file} ${wrong}`);
  return value as T;
}

/** Synced: its content must survive a power loss before anything is paid by it. */
export function writeLimitsJson(folder: string, file: string, value: object): void {
  makeFolder(folder);
  publishText(file, `${JSON.stringify(value)}\n`);
}
