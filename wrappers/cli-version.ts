// Finds the version of an installed CLI from the package that its file belongs to. Starting gemini for it would take two seconds.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../policies/text/tried.ts';
import { readJsonIfFit } from '../state/disk/regular-file.ts';
import { captureIn } from './shell.ts';

/** @returns null for a binary that does not belong to such a package (one from Homebrew, or a shim), or that no longer exists. */
export function versionOfPackage(file: string, packageName: string): string | null {
  const real = realFile(file);
  if (real === null) return null;
  for (let folder = path.dirname(real); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const found = readPackage(path.join(folder, 'package.json'));
    if (found?.name === packageName) return found.version ?? null;
  }
  return null;
}

/** Whether the file is the published program of that package, not a script that a user put in its place. */
export const isPublished = (file: string, packageName: string, entries: readonly string[]): boolean =>
  entries.includes(path.basename(realFile(file) ?? '')) && versionOfPackage(file, packageName) !== null;

/** Finds the version in the output of a CLI's version command; null if the output has none. */
export const versionIn = (printed: string): string | null => VERSION.exec(printed)?.[0] ?? null;

const VERSION = /\d+\.\d+(\.\d+)?(-[\w.]*\w)?/;

export async function askVersion(
  file: string,
  words: readonly string[],
  { cwd, environment }: { cwd: string; environment: NodeJS.ProcessEnv },
  stop: AbortSignal,
): Promise<string | null> {
  return versionIn(await captureIn({ cwd, env: environment, signal: stop })`${file} ${words as string[]}`);
}

const realFile = (file: string): string | null => tried(() => realpathSync.native(file));

const readPackage = (file: string) => readJsonIfFit<{ name?: string; version?: string }>(file);
