// Makes one CLI call for a distillation under a unique id; first waits for or ends the call of a killed run.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CLI_MODEL } from '../../policies/distill/models.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { type FoundCall, readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { makeFolder } from '../../state/disk/folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { guardianOf } from '../../wrappers/adapters.ts';
import { ServiceFailure, type TurnToAsk } from '../../wrappers/gemini-api/document-service.ts';
import { commandLinesWith } from '../../wrappers/processes/command-lines.ts';
import { sweepEntry } from '../upkeep/sweep.ts';
import { isUnswept } from '../upkeep/swept.ts';

export interface CliDesk {
  tool: BuiltIn;
  /** The folder in which the CLI runs. It holds only what the CLI reads, and no call may write there. */
  folder: string;
  commandFolder: string;
  environment: NodeJS.ProcessEnv;
  trustWorkspace: boolean;
  clock: () => Date;
  /** The longest time for one answer. */
  turnMs: number;
}

/** A desk and the hash of its request: the same hash means the same paid answer. */
type AskingDesk = CliDesk & { asks: string };

interface Called {
  record: CallRecord | null;
  answer: string;
}

/** Written to disk before the wrapper is started. */
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

/** Ends or awaits every earlier call before it returns. @returns its answer if it was paid for exactly this request. */
export async function findEarlierCall(desk: AskingDesk, signal: AbortSignal): Promise<Called | null> {
  const last = readJsonIfFit<LastCall>(lastCallIn(desk));
  if (!/^[0-9a-f-]{36}$/.test(String(last?.id))) return null;
  const { result, answer, pid } = filesOf(desk, last!.id);
  const isSame = last!.asks === desk.asks;
  const signalled = new Set<number>();
  for (let writers = writersOf(pid); writers.length > 0; writers = writersOf(pid)) {
    for (const writer of writers) if (!isSame || signal.aborted) end(writer, signalled);
    await delay(LOOK_MS);
  }
  await settleOrphan(result, () => isSame && !signal.aborted, desk);
  signal.throwIfAborted();
  const record = isSame ? readJsonIfFit<CallRecord>(result) : null;
  return record?.verdict?.class === null ? { record, answer } : null;
}

/** Finds the wrapper whose command line names this file; the file's name has the call's own id. */
const writersOf = (file: string): number[] => commandLinesWith([`--pid-file=${file}`]).map(({ pid }) => pid);

function end(pid: number, signalled: Set<number>): void {
  if (signalled.has(pid)) return;
  signalled.add(pid);
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It ended by itself.
  }
}

/** Uses our own wrapper, so that its limits, its verdict and its cleanup are the same as for any other call. */
export async function startCall(
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
    // This flag identifies the wrapper in the list of processes, even after this process has ended.
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
    // A Ctrl-C reaches only this process: the call in progress is paid for, and the loop decides about it.
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
  // If the wrapper was killed, its CLI continues to work, and costs money.
  await settleOrphan(files.result, () => !signal.aborted, desk);
  signal.throwIfAborted();
  return { record: readJsonIfFit<CallRecord>(files.result), answer: files.answer };
}

/** The loop's own limit comes first; the wrapper's limit applies if no loop runs any more. */
const GRACE_MS = 30_000;

/** The longest time that a timer accepts. */
const LONGEST_MS = 12 * 24 * 3600 * 1000;

interface Settling {
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  /** The folder in which the CLI runs. */
  folder: string;
}

/** The end of a process with another parent raises no event. */
const LOOK_MS = 200;

/**
 * When this returns, no process of the call with this record lives. It uses the register and the start time of the wrapper, and
 * not only a command line. Throws ServiceFailure if the call cannot be settled from here.
 * @param isWaitedFor the call is ended when this returns false.
 */
async function settleOrphan(
  record: string,
  isWaitedFor: () => boolean,
  { environment, clock, folder }: Settling,
): Promise<void> {
  for (;;) {
    const found = entryWith(record, environment);
    if (found === null) return;
    const working = isWaitedFor() ? 'wait' : 'end';
    const [swept] = await sweepEntry(found.file, found.entry, { cwd: folder, environment, clock, working });
    if (swept !== undefined && (isUnswept(swept) || swept.how === 'elsewhere'))
      throw new ServiceFailure({
        message: `${swept.told}${swept.fix === null ? '' : `; ${swept.fix}`}`,
        status: 400,
        retryAfterMs: null,
        body: '',
        offline: false,
      });
    if (swept !== undefined && swept.how !== 'working') return;
    await delay(LOOK_MS);
  }
}

type Entry = Extract<FoundCall, { how: 'read' }>;

/** @returns null if the register has no entry: the call was published, or never began. */
function entryWith(record: string, environment: NodeJS.ProcessEnv): Entry | null {
  const register = registerFolder(environment);
  if (register === null) return null;
  const isIt = (found: FoundCall): found is Entry =>
    found.how === 'read' && (found.entry.draft as { files?: { result?: unknown } } | null)?.files?.result === record;
  try {
    return readEntries(register).find(isIt) ?? null;
  } catch (error) {
    // An unreadable register counts as empty.
    if (isSystemError(error)) return null;
    throw error;
  }
}
