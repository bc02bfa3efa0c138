// Starts a wrapper as the guardian of one call and waits for its record (the door to execa: where the toolkit runs commands).

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CallRecord } from '../../policies/call-record.ts';
import type { Stage } from '../../state/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';

export interface Errand {
  task: TaskFolder;
  stage: Stage;
  runId: string;
  promptFile: string;
  /** The hash of the stage's prompt, of which the file may hold a digest. */
  forPrompt: string;
  cwd: string;
  trustWorkspace: boolean;
  resumeSession: string | null;
  environment: NodeJS.ProcessEnv;
}

/** Where a stage's outputs lie. */
export function outputsOf(task: TaskFolder, { name, tool }: Pick<Stage, 'name' | 'tool'>) {
  const base = path.join(task.outputs, `${name}.${tool}`);
  return { out: `${base}.out`, err: `${base}.err`, raw: `${base}.raw`, record: `${base}.call.json` };
}

/**
 * Runs one wrapper to its end. It is a process of its own session: it outlives this dispatcher, and a terminal's Ctrl-C
 * reaches only us; an abort of `stop` is passed on as TERM.
 * @returns its record, or null and why when it died without one.
 */
export async function sendGuardian(
  errand: Errand,
  commandFolder: string,
  stop: AbortSignal,
): Promise<{ record: CallRecord | null; why: string }> {
  const { execa } = await import('execa');
  const outputs = outputsOf(errand.task, errand.stage);
  const script = path.join(commandFolder, `${ADAPTERS[errand.stage.tool].command}.cjs`);
  const startedAt = Date.now();
  const guardian = execa(process.execPath, [script, ...flagsOf(errand, outputs)], {
    detached: true,
    cleanup: false,
    reject: false,
    stdio: 'ignore',
    env: { ...errand.environment, TOLLGATE_RUN_ID: errand.runId, TOLLGATE_FOR_PROMPT: errand.forPrompt },
    extendEnv: false,
  });
  const pass = () => guardian.kill('SIGTERM');
  stop.addEventListener('abort', pass, { once: true });
  if (stop.aborted) pass();
  const { exitCode, signal, shortMessage } = await guardian;
  stop.removeEventListener('abort', pass);
  const why = `the wrapper ended ${signal === undefined ? `with exit code ${exitCode ?? shortMessage}` : `by ${signal}`} and left no record`;
  return { record: await readRecord(outputs.record, startedAt), why };
}

function flagsOf(
  { task, stage, promptFile, cwd, trustWorkspace, resumeSession }: Errand,
  outputs: ReturnType<typeof outputsOf>,
): string[] {
  const given: [flag: string, value: string | number | undefined | null][] = [
    ['prompt-file', promptFile],
    ['out', outputs.out],
    ['err', outputs.err],
    ['task', `${task.root}/`],
    ['stage', stage.name],
    ['cwd', cwd],
    ['timeout-ms', stage.timeout_ms],
    ['idle-timeout-ms', stage.idle_timeout_ms],
    ['max-turns', stage.max_turns],
    ['model', stage.model],
    ['access', stage.access ?? (WRITES.has(stage.role) ? 'write' : 'read')],
    ['effort', stage.tool === 'codex' ? stage.effort : null],
    ['resume-session', resumeSession],
  ];
  return [
    ...given.flatMap(([flag, value]) => (value === undefined || value === null ? [] : [`--${flag}=${value}`])),
    ...(trustWorkspace ? ['--trust-workspace'] : []),
  ];
}

/** Roles that change the tree; all others look. */
const WRITES: ReadonlySet<string> = new Set(['impl', 'test_impl']);

/** A record that stood there before is another call's. */
async function readRecord(file: string, since: number): Promise<CallRecord | null> {
  try {
    const record = JSON.parse(await readFile(file, 'utf8')) as CallRecord;
    return Date.parse(record.started_at) >= since - 1 ? record : null;
  } catch {
    return null;
  }
}
