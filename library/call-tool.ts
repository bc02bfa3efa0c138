// Makes one guarded call of a CLI for a program: like its wrapper, but with the prompt and the answer in memory.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { redactorFor } from '../loops/attempt/close-attempt.ts';
import { placesMistake } from '../loops/attempt/output-paths.ts';
import type { WrapperRequest } from '../loops/attempt/request.ts';
import { readAnswerForm } from '../loops/call/answer-schema.ts';
import { call } from '../loops/call/call.ts';
import { capsOf } from '../loops/call/caps.ts';
import { chargedTask } from '../loops/call/check.ts';
import { findAdapter } from '../loops/call/find-adapter.ts';
import { createTelling } from '../loops/report/follow.ts';
import { watchOver } from '../loops/upkeep/sweep.ts';
import type { EngineEvent } from '../policies/facts/engine-event.ts';
import { toDo } from '../policies/facts/next-action.ts';
import { isLack, requirementsOf } from '../policies/facts/requirements.ts';
import type { Redactor } from '../policies/redact/redactor.ts';
import type { CallRecord } from '../policies/report/call-record.ts';
import { environmentOf } from '../state/accounts.ts';
import { makeFolder } from '../state/disk/folder.ts';
import { readRegularOrNull } from '../state/disk/regular-file.ts';
import { replaceText } from '../state/disk/replace-file.ts';
import { projectRoot, projectState, STAGE_ID, STAGE_ID_MUST, userState } from '../state/task-folder.ts';
import { isTrustedFolder } from '../state/trusted-folders.ts';
import type { Adapter } from '../wrappers/adapter.ts';
import { exitCodesOf } from '../wrappers/adapter.ts';
import { commitMistake, type OwnValues } from '../wrappers/own-flags.ts';
import type { CallToolOptions, ToolAnswer } from './call-surface.ts';
import { flagOf, withOptionNames } from './options.ts';
import { stoppedWith } from './run-task.ts';
import type { ToolEvent } from './surface.ts';

const GIB = 1024 ** 3;
const START_TIMEOUT_MS = 120_000;

/** Failures are values, also a mistake in the input. Throws only on an internal error. @param tell receives the events. */
export async function callNamed(
  tool: string,
  prompt: string,
  options: CallToolOptions,
  tell: (event: ToolEvent) => void,
): Promise<ToolAnswer> {
  const { keepIn, environment = process.env, trustWorkspace = false } = options;
  const adapter = await findAdapter(tool, {
    cwd: path.resolve(options.cwd ?? '.'),
    environment,
    isTrusted: trustWorkspace,
    wayToTrust: 'pass `trustWorkspace: true`',
  });
  if (typeof adapter === 'string') return refused(adapter, 2);
  if (keepIn !== undefined) makeFolder(path.resolve(keepIn));
  const folder = keepIn === undefined ? mkdtempSync(path.join(tmpdir(), 'tollgate-call-')) : path.resolve(keepIn);
  try {
    return await calledIn(folder, adapter, prompt, { options, tell });
  } finally {
    if (keepIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function calledIn(
  folder: string,
  adapter: Adapter,
  prompt: string,
  { options, tell }: { options: CallToolOptions; tell: (event: ToolEvent) => void },
): Promise<ToolAnswer> {
  const request = await requestOf(folder, adapter, options);
  const { badInput, failure } = exitCodesOf(adapter);
  const mistake = typeof request === 'string' ? request : placeMistake(request);
  if (typeof request === 'string' || mistake !== null) return refused(mistake!, badInput);
  replaceText(request.files.prompt, prompt);
  const { stop, release } = stoppedWith(options.signal);
  const teller = createTeller(redactorFor(request), tell);
  request.watch = teller.hear;
  const { record, message } = await watchOver(request.call.environment, () =>
    call(request, stop, () => new Date()),
  ).finally(release);
  teller.end();
  const { verdict } = record;
  const named = wordsOf(record, folder, options.keepIn === undefined ? 'removed' : 'kept');
  // A call that succeeded, but could not be published, did not answer.
  const ok = verdict.class === null && message === null;
  return {
    ok,
    answer: ok ? (readRegularOrNull(request.files.out) ?? '') : '',
    message: message === null ? null : named(message),
    class: verdict.class,
    reason: verdict.reason,
    signature: record.signature,
    retry_at: verdict.retry_at,
    next_actions: (record.next_actions ?? []).map((action) => ({ ...action, text: named(action.text) })),
    warnings: record.warnings.filter(isLack).map(named),
    session_id: record.session_id,
    tokens: record.usage.total_tokens,
    exit_code: verdict.class === null && !ok ? failure : record.wrapper_exit_code,
  };
}

/** Passes on what a reader of the call sees, a line at a time: a secret may be divided between two pieces of a line. */
function createTeller({ redact }: Redactor, tell: (event: ToolEvent) => void) {
  const telling = createTelling();
  const pass = (type: ToolEvent['type'], lines: readonly string[]) => {
    for (const line of lines) tell({ type, text: redact(line) });
  };
  return {
    hear(event: EngineEvent) {
      if (event.how === 'said') return pass('text', telling.hear(event));
      if (event.how === 'tool_began') {
        pass('text', telling.end());
        return pass('tool', [event.name]);
      }
      const words = telling.hear(event);
      if (words.length > 0) {
        pass('text', words.slice(0, -1));
        pass('note', words.slice(-1));
      }
    },
    end: () => pass('text', telling.end()),
  };
}

/** Names options instead of flags, except in what the CLI said. @param folder of the files of the call. */
function wordsOf({ tool, ending, verdict }: CallRecord, folder: string, files: 'kept' | 'removed') {
  const evidence = verdict.evidence?.text.replace(/\s+/g, ' ').trim().slice(0, 400) ?? '';
  const said = ending === 'not_started' || evidence === '' ? [] : [evidence];
  return (text: string): string => {
    if (text.startsWith(`${tool} reported: `)) return text;
    const ours = said.length === 0 ? withOptionNames(text) : text.split(said[0]!).map(withOptionNames).join(said[0]);
    if (files === 'kept') return ours;
    return ours
      .replaceAll(path.join(folder, 'prompt.md'), 'the prompt')
      .replaceAll(path.join(folder, 'stderr.log'), '`stderr.log` (kept by `keepIn`)');
  };
}

export const refused = (message: string, exit_code: number): ToolAnswer => ({
  ...{ ok: false, answer: '', message: withOptionNames(message), class: 'tooling', reason: 'bad_input' },
  ...{ signature: null, retry_at: null, next_actions: [toDo('fix what the message names, and call again')] },
  ...{ warnings: [], session_id: null, tokens: null, exit_code },
});

function placeMistake({ files, charge, call: { cwd, environment } }: WrapperRequest): string | null {
  const states = { projectState: projectState(cwd, environment), userState: userState(environment) };
  return placesMistake(files, { ...states, task: charge?.task ?? null, callId: null });
}

/** @returns the request, or what is wrong with it. */
async function requestOf(folder: string, adapter: Adapter, options: CallToolOptions): Promise<WrapperRequest | string> {
  const { model = null, resumeSession = null, maxTurns = null, access = 'read', account, schema } = options;
  const cwd = path.resolve(options.cwd ?? '.');
  const given = options.environment ?? process.env;
  const environment = account === undefined ? given : await environmentOf(account, adapter.tool, given, cwd);
  if (typeof environment === 'string') return environment;
  for (const [name, text] of Object.entries({ model, resumeSession }))
    if (text !== null && (text.startsWith('-') || /[\n\r\0]/.test(text)))
      return `${name} must be one line that does not begin with a dash`;
  const own = ownOf(adapter, options);
  if (typeof own === 'string') return own;
  const { requireMcp = [], failOnDenied = false } = options;
  if (requireMcp.some((name) => name === '' || name.startsWith('-') || /\p{Cc}/u.test(name)))
    return 'requireMcp must be names of MCP servers, or all';
  const unfit = commitMistake(options.allowCommit === true, access, 'allowCommit', "access: 'write'");
  if (unfit !== null) return unfit;
  const charge = chargeOf(adapter, cwd, environment, options);
  if (typeof charge === 'string') return charge;
  const form = schema === undefined ? null : await readAnswerForm(adapter, JSON.stringify(schema));
  if (typeof form === 'string') return form;
  const { maxTokens = null, maxUsd = null } = options;
  const caps = await capsOf(adapter, model, { maxTokens, maxUsd }, projectRoot(cwd));
  if (typeof caps === 'string') return caps;
  const at = (name: string) => path.join(folder, name);
  return {
    callId: null,
    adapter,
    call: {
      ...{ model, resumeSession, maxTurns, access, cwd, environment },
      newSession: adapter.sessionId === 'chosen' ? randomUUID() : '',
      innerRetries: options.innerRetries ?? 'cut',
      trustWorkspace: options.trustWorkspace ?? isTrustedFolder(cwd, environment),
      own,
      requires: {
        ...requirementsOf(requireMcp, failOnDenied ? 'fail' : 'note'),
        ...(form === null || form.schema === null ? {} : { schema: form.schema }),
      },
    },
    before: form?.before ?? '',
    files: {
      ...{ prompt: at('prompt.md'), out: at('answer.md'), err: at('stderr.log'), result: at('record.json') },
      ...{ sessionIdOut: null, doneMarker: null, pidFile: null },
    },
    limits: {
      timeoutMs: options.timeoutMs ?? adapter.defaultTimeoutMs,
      timeoutMode: 'enforce',
      idleTimeoutMs: options.idleTimeoutMs ?? null,
      startTimeoutMs: (options.startTimeoutMs ?? START_TIMEOUT_MS) || null,
      maxTurns,
      maxOutputBytes: options.maxOutputBytes ?? GIB,
      ...(caps === null ? {} : { caps }),
    },
    charge,
    redactionPatterns: [],
    ownRows: [],
    composed: { warnings: [], leftOut: [] },
    keepRaw: options.keepRaw ?? false,
    recordRequests: options.recordRequests ?? false,
    ignoreHold: options.ignoreHold ?? false,
  };
}

/** Options that only some CLIs have, by their flags. @returns what is wrong with them, or their values. */
function ownOf({ tool, own, described }: Adapter, options: CallToolOptions): OwnValues | string {
  const { allowCommit, allowTool, denyTool, effort, sandbox, approvalMode } = options;
  const values: Record<string, OwnValues[string]> = {};
  const given = { allowCommit, allowTool, denyTool, effort, sandbox, approvalMode };
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined || value === false) continue;
    const flag = flagOf(option);
    const { choices } = own[flag] ?? {};
    if (described !== undefined)
      return `${option}: ${tool} is described by tollgate.yaml, whose access says what it may do`;
    if (!(flag in own)) return `${option}: ${tool} has no such option`;
    if (choices?.includes(String(value)) === false) return `${option} must be one of ${choices.join(', ')}`;
    if ([value].flat().some((one) => one === '' || /\0/.test(String(one))))
      return `${option} must name tools, without NUL characters`;
    values[flag] = value;
  }
  return values;
}

function chargeOf(
  adapter: Adapter,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  { task, newTask = false, stage = `${adapter.tool}_adhoc` }: CallToolOptions,
): WrapperRequest['charge'] | string {
  if (!STAGE_ID.test(stage)) return `stage ${JSON.stringify(stage)} ${STAGE_ID_MUST}`;
  if (task === undefined) return newTask ? 'newTask needs task' : null;
  const folder = chargedTask(task, newTask ? 'new' : 'existing', cwd, environment);
  return typeof folder === 'string' ? `task: ${folder}` : { task: folder, stage, runId: null, forPrompt: null };
}
