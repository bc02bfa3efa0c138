// One call of a CLI for a distillation, under a name of its own; one that a killed run left is waited for or ended before another is paid.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CLI_MODEL } from '../../../policies/distill/models.ts';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import type { CallRecord } from '../../../policies/record/call-record.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { readJsonIfFit } from '../../../state/disk/regular-file.ts';
import { publishText } from '../../../state/disk/replace-file.ts';
import { guardianOf } from '../../../wrappers/adapters.ts';
import type { TurnToAsk } from '../../../wrappers/gemini-api/document-service.ts';
import { commandLinesWith } from '../../../wrappers/processes/command-lines.ts';
import { LOOK_MS, settleOrphan } from './orphaned-call.ts';

export interface CliDesk {
  tool: BuiltIn;
  /** Of the run, and beside its facts, where no call may write: what the CLI reads and where it runs, and nothing else. */
  folder: string;
  /** Where our commands lie. */
  commandFolder: string;
  environment: NodeJS.ProcessEnv;
  trustWorkspace: boolean;
  clock: () => Date;
  /** How long one answer may take. */
  turnMs: number;
}

/** A desk and what is asked at it: the same hash is the same answer to be paid. */
type AskingDesk = CliDesk & { asks: string };

interface Called {
  record: CallRecord | null;
  answer: string;
}

/** On disk before the wrapper is started. */
interface LastCall {
  id: string;
  asks: string;
}

const lastCallIn = ({ folder }: CliDesk) => path.join(folder, 'last-call.json');

function filesOf({ folder }: CliDesk, id: string) {
  const own = path.join(folder, 'calls', id);
  const at = (name: string) => path.join(own, name);
  return {
    own,
    prompt: at('prompt.md'),
    answer: at('answer.md'),
    stderr: at('stderr.txt'),
    result: at('call.json'),
    pid: at('pid'),
  };
}

/** Nothing of an earlier call lives once this returns. @returns its answer where it was paid for this very request. */
export async function callLeft(desk: AskingDesk, signal: AbortSignal): Promise<Called | null> {
  const last = readJsonIfFit<LastCall>(lastCallIn(desk));
  if (!/^[0-9a-f-]{36}$/.test(String(last?.id))) return null;
  const { result, answer, pid } = filesOf(desk, last!.id);
  const isSame = last!.asks === desk.asks;
  const told = new Set<number>();
  for (let writers = writersOf(pid); writers.length > 0; writers = writersOf(pid)) {
    for (const writer of writers) if (!isSame || signal.aborted) end(writer, told);
    await delay(LOOK_MS);
  }
  await settleOrphan(result, () => isSame && !signal.aborted, desk);
  signal.throwIfAborted();
  const record = isSame ? readJsonIfFit<CallRecord>(result) : null;
  return record?.verdict?.class === null ? { record, answer } : null;
}

/** The wrapper whose command line names this file; its name has the call's own id. */
const writersOf = (file: string): number[] => commandLinesWith([`--pid-file=${file}`]).map(({ pid }) => pid);

function end(pid: number, told: Set<number>): void {
  if (told.has(pid)) return;
  told.add(pid);
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It ended by itself.
  }
}

/** Through our own wrapper, so that its limits, its verdict and its tidying up are the same as of any other call. */
export async function callAnew(
  desk: AskingDesk,
  { model, signal }: TurnToAsk,
  prompt: () => string,
  session: string | null,
): Promise<Called> {
  const id = randomUUID();
  const files = filesOf(desk, id);
  makeFolder(files.own);
  publishText(files.prompt, prompt());
  const [script, ...words] = guardianOf(desk.tool);
  const flags = [
    `--prompt-file=${files.prompt}`,
    `--out=${files.answer}`,
    `--err=${files.stderr}`,
    `--result=${files.result}`,
    // By it the wrapper is known in the list of processes, whatever becomes of us.
    `--pid-file=${files.pid}`,
    `--cwd=${desk.folder}`,
    '--access=read',
    `--timeout-ms=${Math.min(LONGEST_MS, desk.turnMs + GRACE_MS)}`,
    '--quiet',
    ...(desk.trustWorkspace ? ['--trust-workspace'] : []),
    ...(model === CLI_MODEL ? [] : [`--model=${model}`]),
    ...(session === null ? [] : [`--resume-session=${session}`]),
  ];
  publishText(lastCallIn(desk), JSON.stringify({ id, asks: desk.asks } satisfies LastCall));
  const child = spawn(process.execPath, [path.join(desk.commandFolder, script), ...words, ...flags], {
    // A Ctrl-C reaches us alone: what is in flight is paid for, and the loop decides about it.
    detached: true,
    stdio: 'ignore',
    env: desk.environment,
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  // A wrapper that was killed leaves its CLI at work, which is being paid.
  await settleOrphan(files.result, () => !signal.aborted, desk);
  signal.throwIfAborted();
  return { record: readJsonIfFit<CallRecord>(files.result), answer: files.answer };
}

/** The loop's own limit comes first; the wrapper's holds where nobody is left to keep it. */
const GRACE_MS = 30_000;

/** What a timer takes. */
const LONGEST_MS = 12 * 24 * 3600 * 1000;
