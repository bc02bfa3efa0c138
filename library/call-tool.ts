// Makes one guarded call of a CLI for a program: like its wrapper, but with the prompt and the answer in memory.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { placesMistake } from '../loops/attempt/output-paths.ts';
import type { WrapperRequest } from '../loops/attempt/request.ts';
import { call } from '../loops/call/call.ts';
import { accountMistake } from '../loops/call/check.ts';
import { isBuiltIn, namedTools } from '../policies/facts/tools.ts';
import { makeFolder } from '../state/disk/folder.ts';
import { readRegularOrNull } from '../state/disk/regular-file.ts';
import { replaceText } from '../state/disk/replace-file.ts';
import { locateTask, projectState, STAGE_ID, STAGE_ID_MUST, userState } from '../state/task-folder.ts';
import { isTrustedFolder } from '../state/trusted-folders.ts';
import type { Adapter } from '../wrappers/adapter.ts';
import { exitCodesOf } from '../wrappers/adapter.ts';
import { adapterOf } from '../wrappers/adapters.ts';
import { commitMistake } from '../wrappers/own-flags.ts';
import { stoppedWith } from './run-task.ts';
import type { CallToolOptions, ToolAnswer, ToolName } from './surface.ts';

const GIB = 1024 ** 3;
const START_TIMEOUT_MS = 120_000;

/** Failures are values, also a mistake in the input. Throws only on an internal error. */
export async function callNamed(tool: ToolName, prompt: string, options: CallToolOptions): Promise<ToolAnswer> {
  if (!isBuiltIn(tool)) return refused(`"${tool}" is not one of ${namedTools('or')}`, 2);
  const adapter = adapterOf(tool);
  const { keepIn } = options;
  if (keepIn !== undefined) makeFolder(path.resolve(keepIn));
  const folder = keepIn === undefined ? mkdtempSync(path.join(tmpdir(), 'tollgate-call-')) : path.resolve(keepIn);
  try {
    return await calledIn(folder, adapter, prompt, options);
  } finally {
    if (keepIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function calledIn(
  folder: string,
  adapter: Adapter,
  prompt: string,
  options: CallToolOptions,
): Promise<ToolAnswer> {
  const request = requestOf(folder, adapter, options);
  const { badInput, failure } = exitCodesOf(adapter);
  const mistake = typeof request === 'string' ? request : placeMistake(request);
  if (typeof request === 'string' || mistake !== null) return refused(mistake!, badInput);
  replaceText(request.files.prompt, prompt);
  const { stop, release } = stoppedWith(options.signal);
  const { record, message } = await call(request, stop, () => new Date()).finally(release);
  const { verdict } = record;
  // A call that succeeded, but could not be published, did not answer.
  const ok = verdict.class === null && message === null;
  return {
    ok,
    answer: ok ? (readRegularOrNull(request.files.out) ?? '') : '',
    message,
    class: verdict.class,
    reason: verdict.reason,
    signature: record.signature,
    retry_at: verdict.retry_at,
    session_id: record.session_id,
    tokens: record.usage.total_tokens,
    exit_code: verdict.class === null && !ok ? failure : record.wrapper_exit_code,
  };
}

export const refused = (message: string, exit_code: number): ToolAnswer => ({
  ...{ ok: false, answer: '', message, class: 'tooling', reason: 'bad_input', signature: null, retry_at: null },
  ...{ session_id: null, tokens: null, exit_code },
});

function placeMistake({ files, charge, call: { cwd, environment } }: WrapperRequest): string | null {
  const states = { projectState: projectState(cwd, environment), userState: userState(environment) };
  return placesMistake(files, { ...states, task: charge?.task ?? null, callId: null });
}

/** @returns the request, or what is wrong with it. */
function requestOf(folder: string, adapter: Adapter, options: CallToolOptions): WrapperRequest | string {
  const { environment = process.env, model = null, resumeSession = null, maxTurns = null, access = 'read' } = options;
  const cwd = path.resolve(options.cwd ?? '.');
  for (const [name, text] of Object.entries({ model, resumeSession }))
    if (text !== null && (text.startsWith('-') || /[\n\r\0]/.test(text)))
      return `${name} must be one line that does not begin with a dash`;
  if (options.allowCommit === true && !('allow-commit' in adapter.own))
    return `allowCommit: ${adapter.tool} is described by tollgate.yaml, whose access says what it may do`;
  const unfit = commitMistake(options.allowCommit === true, access, 'allowCommit', "access: 'write'");
  if (unfit !== null) return unfit;
  const charge = chargeOf(adapter, cwd, environment, options);
  if (typeof charge === 'string') return charge;
  const at = (name: string) => path.join(folder, name);
  return {
    callId: null,
    adapter,
    call: {
      ...{ model, resumeSession, maxTurns, access, cwd, environment },
      newSession: adapter.sessionId === 'chosen' ? randomUUID() : '',
      innerRetries: 'cut',
      trustWorkspace: options.trustWorkspace ?? isTrustedFolder(cwd, environment),
      own: options.allowCommit === true ? { 'allow-commit': true } : {},
    },
    files: {
      ...{ prompt: at('prompt.md'), out: at('answer.md'), err: at('stderr.log'), result: at('record.json') },
      ...{ sessionIdOut: null, doneMarker: null, pidFile: null },
    },
    limits: {
      timeoutMs: options.timeoutMs ?? adapter.defaultTimeoutMs,
      timeoutMode: 'enforce',
      idleTimeoutMs: options.idleTimeoutMs ?? null,
      startTimeoutMs: START_TIMEOUT_MS,
      maxTurns,
      maxOutputBytes: GIB,
    },
    charge,
    redactionPatterns: [],
    ownRows: [],
    composed: { warnings: [], leftOut: [] },
    keepRaw: false,
    recordRequests: false,
  };
}

function chargeOf(
  adapter: Adapter,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  { task, stage = `${adapter.tool}_adhoc` }: CallToolOptions,
): WrapperRequest['charge'] | string {
  if (!STAGE_ID.test(stage)) return `stage ${JSON.stringify(stage)} ${STAGE_ID_MUST}`;
  if (task === undefined) return null;
  const located = locateTask(task, cwd, environment);
  if (located.how === 'invalid') return `task: ${located.message}`;
  const tasks = path.join(projectState(cwd, environment), 'task');
  const mistake = accountMistake(located.folder, 'existing', tasks);
  return mistake === null ? { task: located.folder, stage, runId: null, forPrompt: null } : `task: ${mistake}`;
}
