// Creates a project with a space in its path and with tollgate as a package, so that npx runs printed commands unchanged.

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { NextAction } from '../../policies/facts/next-action.ts';
import { COMMANDS } from '../../policies/facts/tools.ts';
import { openJournal } from '../../state/journal/journal.ts';
import type { Ledger } from '../../state/journal/ledger.ts';
import { ANY_ANSWER } from './task-run.ts';
import type { TestRig } from './test-rig.ts';

export interface NpxProject {
  rig: TestRig;
  project: string;
  /** Runs a line in a shell, in the project, with NPX in place of npm's npx; a command of tollgate alone without a process, if possible. */
  sh(line: string): Promise<Told>;
  /** The same with the real npx, which costs 0.4 s of CPU; each file has a test with it. */
  shReal(line: string): Promise<Told>;
  write(name: string, text: string): void;
  /** Creates a task in the given folder, addressed by its path; without a folder in the state folder, addressed by its id. */
  task(manifest: object, folder?: string): PlacedTask;
}

interface Told {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Does what npx does for a package of the project: it looks only into the project's `.bin`, and says that it is npx. */
const NPX = `#!/bin/sh
program=node_modules/.bin/$1
shift
PATH="$PWD/node_modules/.bin:$PATH" npm_command=exec exec "$program" "$@"
`;

export interface PlacedTask {
  folder: string;
  word: string;
  ledger(): Ledger;
}

export function makeNpxProject(rig: TestRig): NpxProject {
  const project = path.join(rig.root, 'my project');
  const bin = path.join(project, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  execFileSync('git', ['init', '--quiet', project], { env: { ...rig.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
  for (const name of ['tollgate', 'preflight', ...Object.values(COMMANDS)])
    symlinkSync(path.resolve('dist', `${name}.cjs`), path.join(bin, name));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), text);
  };
  write('package.json', '{"name": "mine", "private": true}');
  const env = { ...rig.env, npm_config_update_notifier: 'false', npm_config_offline: 'true' };
  const standIn = path.join(rig.root, 'stand-in');
  mkdirSync(standIn);
  writeFileSync(path.join(standIn, 'npx'), NPX);
  chmodSync(path.join(standIn, 'npx'), 0o755);
  const shWith = (searched: string, line: string): Promise<Told> =>
    new Promise((resolve) => {
      const options = { cwd: project, env: { ...env, PATH: searched }, timeout: 200_000 };
      execFile('/bin/sh', ['-c', line], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : ((error.code as unknown as number) ?? null), stdout, stderr }),
      );
    });
  return {
    rig,
    project,
    write,
    sh: (line) =>
      /^npx tollgate [^|;&<>]*$/.test(line)
        ? rig.run('tollgate', wordsOf(line), { cwd: project, env: { npm_command: 'exec' } })
        : shWith(`${standIn}:${rig.env.PATH}`, line),
    shReal: (line) => shWith(rig.env.PATH!, line),
    task(manifest, folder = 'my jobs/fix') {
      write(
        `${folder}/manifest.json`,
        JSON.stringify({ task_id: path.basename(folder), goal: 'Find out.', ...manifest }),
      );
      const word = folder.startsWith('.tmp/task/') ? path.basename(folder) : `./${folder}`;
      const root = path.join(project, folder);
      return { folder: root, word, ledger: () => openJournal(root, () => new Date()).read().ledger };
    },
  };
}

/** Returns what a shell gives to tollgate. */
const wordsOf = (line: string): string[] =>
  execFileSync('/bin/sh', ['-c', `npx() { shift; printf '%s\\0' "$@"; }\n${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

/** Returns the first action that has a command. */
export const commandOf = (actions: readonly NextAction[]): NextAction & { command: string } => {
  const first = actions.find(({ command }) => command !== undefined);
  assert.ok(first, JSON.stringify(actions));
  assert.is(actions[0]!.changes, null, 'what loosens something is never first');
  return first as NextAction & { command: string };
};

/** Returns a change of the task's manifest. */
export const edited =
  (change: (manifest: Record<string, unknown>) => void) =>
  (_: NpxProject, { folder }: PlacedTask) => {
    const file = path.join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    change(manifest);
    writeFileSync(file, JSON.stringify(manifest));
  };

export const VERIFY = { tool: 'codex', role: 'verify', ...ANY_ANSWER };
/** Its acceptance command succeeds once the file exists. */
export const GUARDED = { stages: [VERIFY], acceptance: { commands: ['test -f mended'] } };
