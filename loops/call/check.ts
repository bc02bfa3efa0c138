// Checks everything that can be wrong with a call before anything is paid, and says why it is refused.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { OwnReason } from '../../policies/facts/classes.ts';
import type { Obstacle } from '../../policies/facts/evidence.ts';
import { type StopSignal, stoppedBy } from '../../policies/facts/exit-codes.ts';
import { isSameServer } from '../../policies/facts/requirements.ts';
import { accountName } from '../../policies/limits/user-accounts.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { makeFolders, namesIfAny } from '../../state/disk/folder.ts';
import { readFollowedBytes, toUtf8 } from '../../state/disk/regular-file.ts';
import { checkTaskId, locateTask, projectState, type TaskFolder } from '../../state/task-folder.ts';
import type { Adapter, CallRequest, PromptLimit } from '../../wrappers/adapter.ts';
import { isPublished } from '../../wrappers/cli-version.ts';
import { lacking } from '../../wrappers/feature.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import { homeOf } from '../../wrappers/home.ts';
import { missingOwn } from '../../wrappers/own/missing.ts';
import { programOf } from '../../wrappers/prefix.ts';
import { brokenInstall, ignoredBy, TRUST_FOLDER, untrustedCall } from '../../wrappers/startable.ts';
import { lookAt, outputPathsOf, realPlace } from '../attempt/output-paths.ts';
import type { CheckedCall } from '../attempt/phases.ts';
import { MAX_PROMPT_BYTES, type WrapperRequest } from '../attempt/request.ts';

export interface Refusal extends Obstacle {
  /** One of the wrapper's exit codes, or the signal that stopped this process. */
  exit: 'failure' | 'missingBinary' | 'badInput' | 'refusedInput' | StopSignal;
  /** An ISO time; before it, the call would be refused again. Absent if no such time is known. */
  retryAt?: string;
}

type Checked =
  | { how: 'ready'; binary: string; prompt: Buffer }
  /** Nothing was started and nothing was paid. */
  | { how: 'refused'; refusal: Refusal; prompt: Buffer | null };

export function check(request: WrapperRequest): Checked {
  const { adapter, call, files } = request;
  const cwd = folderMistake(call.cwd);
  if (cwd !== null) return refuse('no_working_folder', `--cwd: ${cwd}`);
  const { piped } = request;
  const given = piped === undefined ? readPrompt(files.prompt) : promptOf(files.prompt, piped);
  if (!Buffer.isBuffer(given)) return { how: 'refused', prompt: null, refusal: given };
  const read = toUtf8(given);
  if (read.includes(0))
    return refuse(
      'no_prompt',
      `${files.prompt} has NUL bytes, so it is not a text in UTF-8: convert it (iconv -f UTF-16LE -t UTF-8), or remove them`,
    );
  if (read.toString('latin1').trim() === '')
    return refuse('empty_prompt', `${files.prompt} is empty: there is nothing to ask`, read);
  const whole = request.before ? Buffer.concat([Buffer.from(request.before), read]) : read;
  const prompt = Buffer.from(adapter.prompt.escape(whole.toString('latin1')), 'latin1');
  const length = adapter.prompt.limit === null ? null : overLimit(prompt, adapter.prompt.limit);
  if (length !== null) {
    const { max, unit } = adapter.prompt.limit!;
    const message = `${files.prompt} has ${length} ${unit}, and ${adapter.tool} takes ${max} at most: reduce attachments or split the task`;
    return {
      how: 'refused',
      prompt,
      refusal: promptRefusal(message, max, unit),
    };
  }
  const unwritable = outputMistake(request);
  if (unwritable !== null) return refuse('unwritable_output', unwritable, prompt);
  const startable = startableCall(adapter, call);
  return { ...startable, prompt };
}

type StartableCall = { how: 'ready'; binary: string } | { how: 'refused'; refusal: Refusal };

/** Checks whether the CLI can be started for this call, independent of the prompt. */
export function startableCall(adapter: Adapter, call: CallRequest): StartableCall {
  const unfit = adapter.described?.takes(call) ?? null;
  if (unfit !== null) return { how: 'refused', refusal: toolingRefusal('not_described', unfit) };
  const binary = findBinary(programOf(adapter), call.environment.PATH);
  if (binary === null)
    return { how: 'refused', refusal: toolingRefusal('binary_missing', missingWords(adapter), 'missingBinary') };
  const refusal =
    unstartable(adapter, call, binary) ??
    refusedFolder(adapter, call, binary) ??
    signedOut(adapter, call, binary) ??
    brokenConfiguration(adapter, call) ??
    missingServer(adapter, call);
  return refusal === null ? { how: 'ready', binary } : { how: 'refused', refusal };
}

function unstartable(adapter: Adapter, { environment }: CallRequest, binary: string): Refusal | null {
  const program = adapter.prefix === undefined ? adapter : { binary: programOf(adapter), packageName: '' };
  const broken = brokenInstall(program, binary, environment.PATH);
  return broken === null ? null : toolingRefusal('broken_install', `${broken.what}; ${broken.fix}`, 'failure');
}

function missingServer(adapter: Adapter, call: CallRequest): Refusal | null {
  const message = adapter.missingServer(call);
  return message === null ? null : toolingRefusal('mcp_server', message, 'failure');
}

/** Rules that deny must not be lost silently, nor a server that the caller requires. */
function brokenConfiguration(adapter: Adapter, call: CallRequest): Refusal | null {
  const required = call.requires?.servers ?? [];
  for (const one of ignoredBy(adapter, call)) {
    if (one.what === 'settings')
      return toolingRefusal('config', `${one.file} ${one.why}: correct or remove it`, 'failure');
    if (one.what === 'servers' && required.length > 0)
      return toolingRefusal('mcp_server', `required MCP servers cannot start: ${one.file} ${one.why}`, 'failure');
    if (one.what === 'server' && (required === 'all' || required.some((name) => isSameServer(name, one.name))))
      return toolingRefusal('mcp_server', `required MCP server "${one.name}" cannot start: ${one.why}`, 'failure');
  }
  return null;
}

function refusedFolder(adapter: Adapter, call: CallRequest, binary: string): Refusal | null {
  const untrusted = untrustedCall(adapter, call, binary);
  return untrusted === null ? null : toolingRefusal('untrusted', `${untrusted}: ${TRUST_FOLDER}`, 'failure');
}

function signedOut(adapter: Adapter, { environment, cwd }: CallRequest, binary: string): Refusal | null {
  const { tool, packageName, entries, signIn } = adapter;
  if (signIn === null || !isPublished(binary, packageName, entries)) return null;
  const found = signIn({ environment, home: homeOf(environment) ?? cwd, cwd });
  if (found.how !== 'signed_out') return null;
  if (found.config) return toolingRefusal('config', `${tool} cannot start: ${found.because}; ${found.fix}`, 'failure');
  const account = accountName(tool, environment);
  const message =
    account === null
      ? `${tool} is not signed in: ${found.because}; ${found.fix}`
      : `${tool} is not signed in to the account ${account}: ${found.because}; tollgate accounts says how to sign in`;
  return { class: 'auth', reason: 'not_signed_in', exit: 'failure', message };
}

function missingWords({ binary, packageName, tool, described, prefix }: Adapter): string {
  if (prefix !== undefined)
    return `${prefix[0]} is not on the PATH (tools.${tool}.prefix of tollgate.yaml): install it, or name its path`;
  const missing = described === undefined ? null : missingOwn(described.row);
  const install = packageName === '' ? 'install it' : `install it (npm install -g ${packageName})`;
  return (
    missing ??
    `${binary} is not on the PATH: ${install}, or run \`tollgate preflight --tools ${tool}\` to see where it was looked for`
  );
}

function refuse(reason: OwnReason, message: string, prompt: Buffer | null = null): Checked {
  return { how: 'refused', prompt, refusal: toolingRefusal(reason, message) };
}

/** For a call that was not started. */
export const toolingRefusal = (reason: OwnReason, message: string, exit: Refusal['exit'] = 'badInput'): Refusal => ({
  class: 'tooling',
  reason,
  exit,
  message,
});

function readPrompt(file: string): Buffer | Refusal {
  const unread = (why: string): Refusal => toolingRefusal('no_prompt', `--prompt-file ${file} ${why}`);
  try {
    const found = statSync(file);
    if (found.isDirectory()) return unread('is a folder');
    // Reading a FIFO without a writer would hang, and a device may never end.
    if (!found.isFile())
      return unread('is not a regular file and no pipe that was handed over: save the prompt in a file');
    if (found.size <= MAX_PROMPT_BYTES) return readFollowedBytes(file, MAX_PROMPT_BYTES);
    return tooLong(file, `${found.size}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return unread(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
}

function promptOf(file: string, piped: Buffer | { unread: string }): Buffer | Refusal {
  if (!Buffer.isBuffer(piped)) return toolingRefusal('no_prompt', `--prompt-file ${file}: ${piped.unread}`);
  return piped.length > MAX_PROMPT_BYTES ? tooLong(file, `over ${MAX_PROMPT_BYTES}`) : piped;
}

function tooLong(file: string, length: string): Refusal {
  const message = `${file} has ${length} bytes, and a prompt has ${MAX_PROMPT_BYTES} at most: reduce attachments or split the task`;
  return promptRefusal(message, MAX_PROMPT_BYTES, 'bytes');
}

const promptRefusal = (message: string, value: number, unit: 'bytes' | 'characters'): Refusal => ({
  class: 'prompt_too_large',
  reason: 'prompt_limit',
  exit: 'badInput',
  message,
  limit: { name: 'prompt', value, unit },
});

/** @returns the length of the prompt if it exceeds the limit of the CLI, else null. */
function overLimit(prompt: Buffer, limit: PromptLimit): number | null {
  // A text never has more characters than bytes, so only a large prompt needs counting.
  if (prompt.length <= limit.max) return null;
  const length = limit.unit === 'bytes' ? prompt.length : [...prompt.toString('utf8')].length;
  return length > limit.max ? length : null;
}

function folderMistake(folder: string): string | null {
  try {
    return statSync(folder).isDirectory() ? null : `${folder} is not a folder`;
  } catch (error) {
    return `${folder} cannot be used (${(error as NodeJS.ErrnoException).code})`;
  }
}

function outputMistake({ files }: WrapperRequest): string | null {
  const places = outputPathsOf(files);
  const writable = new Set<string>();
  for (const { flag, file } of places) {
    const folder = path.dirname(path.resolve(file));
    try {
      if (!writable.has(folder)) makeWritable(folder);
      writable.add(folder);
    } catch (error) {
      return `${flag} ${file}: its folder cannot be written (${(error as NodeJS.ErrnoException).code}); make it writable or name another`;
    }
  }
  // Checked last, because one of the paths may have been created above as the folder of another.
  const folder = places.find(({ file }) => file.endsWith(path.sep) || lookAt(file)?.isDirectory());
  return folder === undefined ? null : `${folder.flag} ${folder.file} is a folder; name a file`;
}

function makeWritable(folder: string): void {
  makeFolders(folder);
  accessSync(folder, constants.W_OK | constants.X_OK);
}

export const LATE: Refusal = {
  class: 'transient',
  reason: 'timeout',
  exit: 'failure',
  message:
    'the time for the call was over long before anything was started (was its wrapper stopped?); no request was sent',
};

/** For a stop signal that came before anything was started. */
export function cancelled(stop: AbortSignal): Refusal {
  const by = stoppedBy(stop) ?? 'SIGTERM';
  const message = `stopped by ${by} before anything was started`;
  return { class: 'transient', reason: 'cancelled', exit: by, message };
}

/** An older CLI would process the prompt differently. @returns null if it would not, or if the CLI is not older. */
export function tooOld({ request, prompt, cliVersion }: CheckedCall): Refusal | null {
  const { adapter, call } = request;
  for (const { since, keepsFrom } of lacking(adapter.features, cliVersion)) {
    const made = keepsFrom?.(prompt.toString(), call.cwd) ?? null;
    if (made === null) continue;
    const message = `${adapter.tool} ${cliVersion} would ${made}: install ${adapter.packageName}@${since} or later, or take the @ out of the prompt`;
    return toolingRefusal('not_prepared', message);
  }
  return null;
}

/**
 * Returns the task that a call outside a run may charge. The task must exist, or the caller must have requested a new one by name. A
 * mistyped id would open another account of ten paid calls.
 * @returns a text: the reason why nothing may be charged to the task, with a way out.
 */
export function chargedTask(
  task: string,
  kind: 'existing' | 'new',
  cwd: string,
  environment: NodeJS.ProcessEnv,
): TaskFolder | string {
  const located = locateTask(task, cwd, environment);
  if (located.how === 'invalid') return located.message;
  const tasks = path.join(projectState(cwd, environment), 'task');
  return chargeMistake(located.folder, kind, tasks) ?? located.folder;
}

/** @param tasks the folder of the project's tasks. */
function chargeMistake(task: TaskFolder, kind: 'existing' | 'new', tasks: string): string | null {
  if (task.manifest !== null || existsSync(path.join(task.state, 'journal.jsonl'))) return null;
  const { id, root } = task;
  const isInPlace = path.dirname(realPlace(root)) === path.dirname(realPlace(path.join(tasks, id)));
  if (kind === 'new' && isInPlace) return null;
  if (!isInPlace)
    return `${root} is not a task (it has neither a manifest nor a journal), and a new one is opened only in ${tasks}; make it one: tollgate init ${root}/`;
  const near = nearest(
    id,
    tasksIn(tasks).filter((name) => name !== id),
  );
  const meant = near === null ? '.' : `; did you mean ${near}?`;
  return `there is no task ${id} in ${tasks}${meant} To open an account of 10 paid calls under that name: --new-task; to write a manifest: tollgate init ${id}`;
}

const tasksIn = (folder: string): string[] => namesIfAny(folder).filter((name) => checkTaskId(name) === null);
