// Sends a prompt into a session that continues: one paid call, guarded like any other.

import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { readRegularOrNull } from '../../state/disk/regular-file.ts';
import { projectState, type TaskFolder, userState } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { SessionFile } from '../../wrappers/sessions/store.ts';
import { placesMistake } from '../attempt/output-paths.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { call } from './call.ts';

export interface ResendRequest {
  session: SessionFile;
  /** `session` resumes that session; `new` starts one in its folder. */
  into: 'session' | 'new';
  prompt: string;
  access: Access;
  trustWorkspace: boolean;
  model: string | null;
  /** null uses the default of the CLI. */
  timeoutMs: number | null;
  /** The task whose budget pays; null for a call without a task. */
  task: TaskFolder | null;
  /** Absolute paths; a file that is null is not kept. */
  files: { out: string | null; err: string | null; result: string | null };
  environment: NodeJS.ProcessEnv;
  cwd: string;
}

export interface ResentCall {
  record: CallRecord;
  answer: string;
  /** One sentence if the call failed. */
  message: string | null;
}

/** Returns why a requested path cannot be written, or null. It is called before anything is changed. */
export function sendingMistake(sending: Pick<ResendRequest, 'files' | 'task' | 'environment' | 'cwd'>): string | null {
  const { task, environment, cwd } = sending;
  const { out, err, result } = sending.files;
  const somewhere = path.join(tmpdir(), randomUUID());
  const files = {
    ...NOWHERE,
    prompt: `${somewhere}.md`,
    out: out ?? `${somewhere}.out`,
    err: err ?? `${somewhere}.err`,
    result,
  };
  const states = { projectState: projectState(cwd, environment), userState: userState(environment) };
  return placesMistake(files, { ...states, task, callId: null });
}

/** Makes one paid call into a session, and then removes its own files. Throws if the temporary folder cannot be written. */
export async function send(sending: ResendRequest, stop: AbortSignal, clock: () => Date): Promise<ResentCall> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-send-'));
  try {
    const request = requestOf(sending, folder);
    writeFileSync(request.files.prompt, sending.prompt, { mode: 0o600 });
    const { record, message } = await call(request, stop, clock);
    const { out } = request.files;
    return { record, message, answer: readRegularOrNull(out, MAX_ANSWER_BYTES) ?? '' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

const NOWHERE = { sessionIdOut: null, doneMarker: null, pidFile: null };

function requestOf(sending: ResendRequest, folder: string): WrapperRequest {
  const { session, into, access, trustWorkspace, model, timeoutMs, task, files, environment, cwd } = sending;
  const adapter = adapterOf(session.tool);
  return {
    callId: null,
    adapter,
    call: {
      model,
      resumeSession: into === 'session' ? session.id : null,
      newSession: into === 'session' ? '' : randomUUID(),
      access,
      maxTurns: null,
      innerRetries: 'cut',
      trustWorkspace,
      cwd: session.cwd !== null && existsSync(session.cwd) ? session.cwd : cwd,
      environment,
      own: {},
    },
    files: {
      ...NOWHERE,
      prompt: path.join(folder, 'prompt.md'),
      out: files.out ?? path.join(folder, 'answer.out'),
      err: files.err ?? path.join(folder, 'answer.err'),
      result: files.result,
    },
    limits: {
      timeoutMs: timeoutMs ?? adapter.defaultTimeoutMs,
      timeoutMode: 'enforce',
      idleTimeoutMs: null,
      startTimeoutMs: 120_000,
      maxTurns: null,
      maxOutputBytes: 1024 ** 3,
    },
    charge: task === null ? null : { task, stage: `${session.tool}_adhoc`, runId: null, forPrompt: null },
    redactionPatterns: [],
    ownRows: [],
    composed: { warnings: [], leftOut: [] },
    keepRaw: false,
    recordRequests: false,
  };
}
