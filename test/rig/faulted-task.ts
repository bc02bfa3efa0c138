// Runs one task with a fault, and again without it; then checks the state on disk.

import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { statsOf } from '../../state/journal/stats.ts';
import { type Fault, faultEnv } from './fault-shim.ts';
import { isJson } from './is-json.ts';
import type { CommandResult } from './running-command.ts';
import { answerWith } from './streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from './task-run.ts';
import { TestRig } from './test-rig.ts';

export const ANSWER = 'paid for';

export interface Faulted {
  /** The run with the fault, and the one after it. */
  first: CommandResult;
  second: CommandResult;
  /** The number of calls of the CLI. */
  asked: number;
  /** Granted reservations, and those of them that are recorded as failed. */
  used: number;
  failed: number;
  /** The calls that the fault counted, as `name path`. */
  counted: string[];
  /** Violations in words: empty if there are none. */
  wrong: string[];
}

type RunFault = Pick<Fault, 'in' | 'at' | 'times' | 'does' | 'clockSeconds'>;

/** Runs a task of one stage with the fault and then without it, and checks all remaining files. */
export async function runFaulted(fault: RunFault, before: (rig: TestRig, task: TestTask) => void = () => {}) {
  const rig = await TestRig.open({ tools: ['codex'] });
  try {
    rig.answer(() => answerWith('codex', ANSWER));
    const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
    before(rig, task);
    const log = path.join(rig.root, 'counted');
    const clean = { ...rig.env };
    Object.assign(rig.env, faultEnv({ ...fault, under: rig.project, log }));
    const first = await task.start().result;
    for (const name of Object.keys(rig.env)) if (!(name in clean)) delete rig.env[name];
    const second = await task.start().result;
    const counted = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    const wrong = [...lookAt(rig, task, second), ...published(first)];
    if (rig.calls.length !== 1) wrong.push(`the CLI was asked ${rig.calls.length} times`);
    wrong.push(...(await leftForEver(task)));
    const { used, calls } = task.journal.read().ledger;
    const failed = [...calls.values()].filter(({ verdict }) => verdict !== null && verdict.class !== null).length;
    const faulted: Faulted = {
      first,
      second,
      asked: rig.calls.length,
      used,
      failed,
      counted: counted.map((line) => line.replace(/^\d+ /, '').replace(rig.project, '')),
      wrong,
    };
    return faulted;
  } finally {
    await rig.dispose();
  }
}

function lookAt(rig: TestRig, task: TestTask, { code, stderr }: CommandResult): string[] {
  const wrong: string[] = [];
  if (code !== 0) wrong.push(`the rerun ended with ${code}: ${stderr}`);
  const { ledger, offset, torn } = task.journal.read();
  if (torn > 1) wrong.push(`${torn} half lines in the journal`);
  for (const file of filesIn(path.join(rig.project, '.tmp'))) {
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.json') && !isJson(text)) wrong.push(`${file} is not JSON`);
  }
  const stats = JSON.parse(task.read('state/stats.json')) as object;
  if (JSON.stringify(stats) !== JSON.stringify(statsOf(ledger, offset)))
    wrong.push(`stats.json is not the fold: ${JSON.stringify(stats)}`);
  if (code === 0 && task.read('outputs/codex_brief.codex.out') !== ANSWER) wrong.push('the answer is not in its place');
  if (code === 0 && !existsSync(path.join(task.folder, 'done/codex_brief.done'))) wrong.push('the stage has no .done');
  for (const { pid, command } of rig.survivors()) wrong.push(`${pid} survived: ${command}`);
  return wrong;
}

/** A command that was not killed ends with a documented code, and with a message instead of a stack trace. */
function published({ code, stderr }: CommandResult): string[] {
  const isPublished = code === null || [0, 1, 2].includes(code);
  return isPublished && !/\n\s+at /.test(stderr) ? [] : [`the first run ended with ${code}: ${stderr}`];
}

/** What a later run does not remove either. */
async function leftForEver(task: TestTask): Promise<string[]> {
  const left = temporariesIn(task.folder);
  if (left.length === 0) return [];
  const long = new Date(Date.now() - 2 * 3_600_000);
  for (const file of left) utimesSync(file, long, long);
  await task.start().result;
  return temporariesIn(task.folder).map((file) => `${file} is left for ever`);
}

/** What a killed writer abandoned beside its target. */
const temporariesIn = (folder: string): string[] =>
  filesIn(folder).filter((file) =>
    /^\..*\.\d+-\d+$|\.[0-9a-f]{8}-[0-9a-f-]{27}$|\.json\.\d+$/.test(path.basename(file)),
  );

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
