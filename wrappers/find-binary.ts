// Finds a CLI by its name, as a shell would.

import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** The absolute path of the first program of that name in the folders of a PATH, or null. */
export function findBinary(name: string, searchPath: string | undefined, cwd: string): string | null {
  const folders = (searchPath ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.resolve(cwd, folder, name)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
