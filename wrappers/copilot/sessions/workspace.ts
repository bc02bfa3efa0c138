// Reads the folder in which a copilot session works wherever it is resumed, from the session's `workspace.yaml`.

import path from 'node:path';
import { readRegularOrNull } from '../../../state/disk/regular-file.ts';

const FILE = 'workspace.yaml';
const MAX_BYTES = 64 * 1024;

/** @returns null if no such file names one. */
export function workspaceOf(sessionFolder: string): string | null {
  const text = read(path.join(sessionFolder, FILE));
  return text === null ? null : cwdIn(text);
}

function read(file: string): string | null {
  try {
    return readRegularOrNull(file, MAX_BYTES);
  } catch {
    return null;
  }
}

/** Reads a YAML text: plain, or in quotes if the path contains YAML syntax. */
export function cwdIn(yaml: string): string | null {
  const found = /^cwd:[ \t]+(\S.*(?:\n[ \t]+\S.*)*)/m.exec(yaml)?.[1];
  if (found === undefined) return null;
  // A long one may be folded.
  const value = found.replace(/\s*\n\s+/g, ' ').trim();
  if (value.startsWith('"')) return doubleQuoted(value);
  const text = /^'(.*)'$/.exec(value)?.[1]?.replaceAll("''", "'") ?? value;
  return path.isAbsolute(text) ? text : null;
}

function doubleQuoted(value: string): string | null {
  try {
    const text: unknown = JSON.parse(value);
    return typeof text === 'string' && path.isAbsolute(text) ? text : null;
  } catch {
    return null;
  }
}
