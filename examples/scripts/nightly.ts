// Runs each task of a folder, prints the report, and exits with 1 if a task failed. A finished task is not paid again.
// npx tsx nightly.ts tasks

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { $ } from 'zx';

interface BatchReport {
  tasks: { task_id: string; state: string; class: string | null; reason: string | null; calls: number }[];
  totals: { tasks: number; done: number; calls: number };
  next_actions: { text: string; command?: string }[];
}

const [folder = 'tasks'] = process.argv.slice(2);
const tasks = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => path.resolve(folder, name));
if (tasks.length === 0) throw new Error(`${folder} has no task: create one with tollgate init`);

const batch = await $({ quiet: true, nothrow: true })`tollgate batch ${tasks} --skip-bad --max-minutes 60 --json`;
// A mistake in the command line has no report.
if (batch.exitCode !== 0 && batch.exitCode !== 1) throw new Error(batch.stderr || batch.stdout);
const { tasks: rows, totals, next_actions } = JSON.parse(batch.stdout) as BatchReport;

for (const { task_id, state, class: kind, reason, calls } of rows)
  console.log(`${state}\t${task_id}\t${calls} calls\t${kind === null ? '' : `${kind}/${reason}`}`);
console.log(`${totals.done} of ${totals.tasks} done, ${totals.calls} calls`);
for (const { text, command } of next_actions) console.log(`- ${text}${command ? `: ${command}` : ''}`);
process.exitCode = batch.exitCode ?? 1;
