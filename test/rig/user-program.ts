// Runs programs of a user that import the library, in a rig's project.

import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { TestRig } from './test-rig.ts';

export function installLibrary({ project }: TestRig): void {
  mkdirSync(path.join(project, 'node_modules'));
  symlinkSync(path.resolve('.'), path.join(project, 'node_modules/tollgate'));
}

/** Runs a module of a user to its end. */
export function program(
  rig: TestRig,
  source: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [rig.write('program.mjs', source)], {
    cwd: rig.project,
    env: rig.env,
    timeout: 200_000,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** Returns the value of an expression in a user's program. The library must print nothing, and not exit. */
export async function resultOf<T>(rig: TestRig, expression: string, before = ''): Promise<T> {
  const source = `import * as tollgate from 'tollgate';\n${before}\nconst value = await ${expression};\nconsole.log(JSON.stringify(value));\nprocess.exitCode = 7;\n`;
  const { code, stdout, stderr } = await program(rig, source);
  assert.equal([code, stderr], [7, '']);
  return JSON.parse(stdout) as T;
}

/** The same of several expressions in one program, each evaluated when the one before it has ended. */
export const resultsOf = <T extends unknown[]>(rig: TestRig, expressions: readonly string[], before = ''): Promise<T> =>
  resultOf(rig, `[${expressions.map((expression) => `await ${expression}`).join(', ')}]`, before);
