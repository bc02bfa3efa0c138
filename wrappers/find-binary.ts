// Finds a CLI by its name, as a shell would, but never in the working folder.

import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** The absolute path of the first program of that name in the folders of a PATH, or null. An absolute path is used as it is. */
export function findBinary(name: string, searchPath: string | undefined): string | null {
  if (path.isAbsolute(name)) return isProgram(name) ? name : null;
  return (
    absoluteFolders(searchPath)
      .map((folder) => path.join(folder, name))
      .find(isProgram) ?? null
  );
}

/** Finds a program on the PATH, or relative to a folder if its name has a slash. */
export const findProgram = (program: string, folder: string, { PATH }: NodeJS.ProcessEnv): string | null =>
  findBinary(program.includes('/') ? path.resolve(folder, program) : program, PATH);

/** Omits `.`, `bin` and empty entries: they resolve to the working folder, which may be a stranger's repository. */
export const absoluteFolders = (searchPath: string | undefined): string[] =>
  (searchPath ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
