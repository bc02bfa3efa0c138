// Tasks of a world: one of one stage as it is written, two as they were run, and as many copies of those as a figure needs.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchWorld, command } from './world.ts';

const STAGE = { tool: 'codex', role: 'brief', requires: [], min_lines: 0 };

/** @param manifest what it says beside its one stage. @returns its id. */
export function makeTask(world: BenchWorld, id: string, { project = '.', manifest = {} as object } = {}): string {
  const whole = { task_id: id, goal: 'Nothing.', stages: [STAGE], ...manifest };
  world.write(`${project}/.tmp/task/${id}/manifest.json`, JSON.stringify(whole));
  return id;
}

/** Words that stand nowhere else in the files of a task. */
export const GOOD = 'one-that-is-done';
export const BAD = 'one-that-failed';

const FAILING = `#!/bin/sh
[ "$1" = --version ] && echo codex-cli 0.169.0 && exit
echo "error: no such model" >&2
exit 1
`;

/** One that is done, then one whose CLI has failed, as all calls of codex do in this world from then on. */
export function runGoodAndBad(world: BenchWorld): void {
  const run = (id: string, exit: number) => {
    makeTask(world, id);
    world.node([command('tollgate'), 'run', id, '--quiet'], exit);
  };
  run(GOOD, 0);
  world.write('bin/codex', FAILING, 0o755);
  run(BAD, 1);
}

/** What a report and the console read of a task. */
const READ = ['manifest.json', 'state/journal.jsonl', 'state/last_failure.json'];

export function copyTask(world: BenchWorld, from: typeof GOOD | typeof BAD, ids: readonly string[]): void {
  const tasks = path.join(world.root, '.tmp/task');
  const files = READ.flatMap((name) => textOf(path.join(tasks, from, name)).map((text) => ({ name, text })));
  for (const id of ids) {
    mkdirSync(path.join(tasks, id, 'state'), { recursive: true });
    for (const { name, text } of files) writeFileSync(path.join(tasks, id, name), text.replaceAll(from, id));
  }
}

function textOf(file: string): string[] {
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}
