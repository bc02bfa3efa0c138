// Finds the program of a notifier: on the PATH, or relative to the project's root.

import path from 'node:path';
import { findBinary } from '../../wrappers/find-binary.ts';

export const findProgram = (program: string, root: string, { PATH }: NodeJS.ProcessEnv): string | null =>
  findBinary(program.includes('/') ? path.resolve(root, program) : program, PATH);
