// The version of an installed CLI, by the package that its file belongs to: starting gemini for it would take two seconds.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readText } from './sign-in/text-file.ts';

/** null for a binary that belongs to no such package (one from Homebrew, or a shim), or that is gone. */
export function versionOfPackage(file: string, packageName: string): string | null {
  const real = realFile(file);
  if (real === null) return null;
  for (let folder = path.dirname(real); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const found = readPackage(path.join(folder, 'package.json'));
    if (found?.name === packageName) return found.version ?? null;
  }
  return null;
}

function realFile(file: string): string | null {
  try {
    return realpathSync.native(file);
  } catch {
    return null;
  }
}

function readPackage(file: string): { name?: string; version?: string } | null {
  try {
    return JSON.parse(readText(file) ?? 'null') as { name?: string; version?: string } | null;
  } catch {
    return null;
  }
}
