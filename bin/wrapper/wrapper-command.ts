// Runs a wrapper command: it parses the flags, makes one guarded call, and returns the exit code.

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Dispatch, endWithLease, takeDispatch } from '../../loops/attempt/dispatch.ts';
import { placesMistake } from '../../loops/attempt/output-paths.ts';
import { MAX_PROMPT_BYTES, type WrapperRequest } from '../../loops/attempt/request.ts';
import { type AnswerForm, readAnswerForm } from '../../loops/call/answer-schema.ts';
import { call } from '../../loops/call/call.ts';
import { capsOf } from '../../loops/call/caps.ts';
import { chargedTask } from '../../loops/call/check.ts';
import { exitByClass } from '../../loops/call/exit.ts';
import type { RequestedSession } from '../../loops/session/call-session.ts';
import { isLack, requirementsOf } from '../../policies/facts/requirements.ts';
import type { Caps } from '../../policies/limits/caps.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { figure, oneLine, shellWord, tookWords } from '../../policies/text/display.ts';
import { environmentOf } from '../../state/accounts.ts';
import { isPipe } from '../../state/disk/regular-file.ts';
import { projectRoot, projectState, STAGE_ID, STAGE_ID_MUST, userState } from '../../state/task-folder.ts';
import { isTrustedFolder } from '../../state/trusted-folders.ts';
import type { Adapter, CallRequest } from '../../wrappers/adapter.ts';
import { exitCodesOf } from '../../wrappers/adapter.ts';
import { commitMistake } from '../../wrappers/own-flags.ts';
import { readArguments, stopOnSignals } from '../command.ts';
import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { startLiveLine } from '../progress-line.ts';
import type { Ran } from '../ran.ts';
import { answerOf, completeOneLine, type OneLine } from './one-line.ts';
import { readPiped } from './piped-prompt.ts';
import { ownGiven, wrapperSpec } from './wrapper-flags.ts';
import { answerWaiters, undispatched } from './wrapper-mistake.ts';

/** Most calls request no session, and load nothing for it. */
const inSession = () => import('./requested-session.ts');

export const toolOfSession = async (flags: Arguments) => (await inSession()).toolOfSession(flags);

export async function wrapperCommand(adapter: Adapter, given: readonly string[]): Promise<Ran> {
  const taken = takeDispatch(given);
  if ('dispatch' in taken) return runWrapper(adapter, taken);
  return undispatched(adapter.command, taken, given, exitCodesOf(adapter).badInput);
}

/** @param dispatch null for a wrapper that a dispatcher did not start. */
export async function runWrapper(
  given: Adapter,
  { dispatch, argv }: { dispatch: Dispatch | null; argv: readonly string[] },
): Promise<Ran> {
  const adapter = dispatch?.prefix === undefined ? given : { ...given, prefix: dispatch.prefix };
  const signals = stopOnSignals();
  const stop = dispatch?.lease === undefined ? signals : endWithLease(dispatch.lease, signals);
  const { badInput, failure } = exitCodesOf(adapter);
  const spec = wrapperSpec(adapter);
  const read = await readArguments(spec, argv, badInput);
  if (read.how === 'ended') return read.mistake === null ? read.ran : refused(argv, read.ran);
  const { args } = read;
  const extras = await extrasOf(adapter, args, dispatch);
  if (typeof extras === 'string') return refused(argv, { exit: badInput, err: `${spec.name}: ${extras}\n` });
  const { oneLine, session } = extras;
  const request = requestOf(adapter, args, dispatch, extras);
  // This check comes before anything is written: the record of a refusal would go to the forbidden place.
  const mistake = typeof request === 'string' ? request : placesMistake(request.files, guarding(request));
  if (typeof request === 'string' || mistake !== null) {
    oneLine?.close();
    return refused(argv, { exit: badInput, err: `${spec.name}: ${mistake}\n` });
  }
  // Only a user passes a pipe: the dispatcher saves each prompt to a file.
  if (request.callId === null && request.piped === undefined && isPipe(request.files.prompt)) {
    const piped = await readPiped(request.files.prompt, stop, request.limits.timeoutMs, MAX_PROMPT_BYTES);
    if (piped !== 'stopped') request.piped = piped;
  }
  if (dispatch === null && (request.piped === undefined || args.words.length > 0))
    request.typed = { command: spec.name, given: argv.map(shellWord).join(' '), task: args.text.task ?? null };
  const line = args.given.has('quiet') ? null : startLiveLine(spec.name, adapter.tool);
  if (line !== null) request.watch = line.watch;
  const print = line?.print ?? printMessage;
  if (!args.given.has('quiet')) request.say = (sentence) => print(`${spec.name}: ${sentence}`);
  const called =
    session === null
      ? await call(request, stop, () => new Date())
      : await (await inSession()).callInSession(request, session, stop);
  line?.stop();
  if (typeof called === 'string') {
    oneLine?.close();
    return refused(argv, { exit: badInput, err: `${spec.name}: ${called}\n` });
  }
  const { record, message } = called;
  const exit = args.given.has('exit-by-class')
    ? exitByClass(record.wrapper_exit_code, record.verdict)
    : record.wrapper_exit_code;
  const shown = dispatch === null && !args.given.has('quiet') ? record.warnings.filter(isLack) : [];
  const ran = {
    failure,
    exit: message !== null && record.verdict.class === null ? failure : exit,
    ...(args.given.has('json') ? { out: `${JSON.stringify(record)}\n` } : {}),
    ...errOf(spec.name, message, shown),
    ...(record.ending === 'not_started'
      ? {}
      : { kept: oneLine === null ? (placeOf(record, args) ?? null) : oneLine.kept }),
  };
  return oneLine === null ? ran : endOneLine(ran, oneLine, record, args);
}

/** The file that the caller named for what stdout gets: the answer, or the record of a failure. */
const placeOf = ({ verdict }: CallRecord, { text }: Arguments) => (verdict.class === null ? text.out : text.result);

/** What a call may have beside its flags. Most calls have none of it, and load nothing for it. */
interface Extras {
  environment: NodeJS.ProcessEnv;
  form: AnswerForm | null;
  session: RequestedSession | null;
  oneLine: OneLine | null;
  caps: Caps | null;
}

/** @returns a sentence if one of them cannot be had. The files of a call in one line are made last. */
async function extrasOf(adapter: Adapter, args: Arguments, dispatch: Dispatch | null): Promise<Extras | string> {
  const environment = await environmentFor(adapter, args.text);
  if (typeof environment === 'string') return `--account: ${environment}`;
  const schema = args.text['json-schema'];
  const form = schema === undefined ? null : await readAnswerForm(adapter, schema);
  if (typeof form === 'string') return form;
  const caps = dispatch === null ? await requestedCaps(adapter, args) : (dispatch.caps ?? null);
  if (typeof caps === 'string') return caps;
  if (dispatch !== null) return { environment, form, session: null, oneLine: null, caps };
  const isInSession = args.given.has('session') || args.given.has('last');
  const session = isInSession ? (await inSession()).requestedSession(adapter.tool, args, environment) : null;
  if (typeof session === 'string') return session;
  const oneLine = isOneLine(args) ? completeOneLine(args) : null;
  return typeof oneLine === 'string' ? oneLine : { environment, form, session, oneLine, caps };
}

/** A dispatcher starts its wrapper in the environment of the account. */
async function environmentFor(
  { tool }: Adapter,
  { account, cwd }: Arguments['text'],
): Promise<NodeJS.ProcessEnv | string> {
  if (account === undefined) return { ...process.env };
  return environmentOf(account, tool, process.env, path.resolve(cwd ?? '.'));
}

async function requestedCaps(adapter: Adapter, { text, number }: Arguments): Promise<Caps | null | string> {
  const dollars = text['max-usd'];
  const maxTokens = number['max-tokens'] ?? null;
  if (dollars === undefined && maxTokens === null) return null;
  const maxUsd = dollars === undefined ? null : /^\d{1,9}(?:\.\d{1,9})?$/.test(dollars) ? Number(dollars) : 0;
  if (maxUsd === 0) return `--max-usd takes dollars above 0, such as 2.50, not ${JSON.stringify(dollars)}`;
  const project = projectRoot(path.resolve(text.cwd ?? '.'));
  return capsOf(adapter, text.model ?? null, { maxTokens, maxUsd }, project);
}

/** The caller did not name all files of the call. */
const isOneLine = ({ text }: Arguments): boolean =>
  text['prompt-file'] === undefined || text.out === undefined || text.err === undefined;

function endOneLine(ran: Ran, oneLine: OneLine, record: CallRecord, { given }: Arguments): Ran {
  const answer = record.verdict.class === null ? answerOf(oneLine) : null;
  oneLine.close();
  const out = given.has('json')
    ? { out: `${JSON.stringify(oneLine.printsAnswer ? { ...record, answer } : record)}\n` }
    : answer === null
      ? {}
      : { out: answer.endsWith('\n') ? answer : `${answer}\n` };
  const kept = oneLine.kept === null ? null : `${path.relative(process.cwd(), oneLine.kept)}/`;
  const figures = printing('stderr').isTTY === true && answer !== null ? endFigures(record) : 'files: ';
  const place = kept === null || given.has('quiet') ? '' : `${figures}${kept}\n`;
  return { ...ran, ...out, err: `${ran.err ?? ''}${place}` };
}

/** `✓ claude  0.4 s  18 tokens  files: `, below the answer. */
function endFigures({ tool, duration_ms: ms, usage: { total_tokens: tokens } }: CallRecord): string {
  const figures = [
    ...(ms === null ? [] : [tookWords(ms)]),
    tokens === null ? 'tokens unknown' : `${figure(tokens)} tokens`,
  ];
  return `\n✓ ${[tool, ...figures].join('  ')}  files: `;
}

/** A call that a dispatcher started prints no warnings, because the dispatcher reads them in the record. */
function errOf(command: string, message: string | null, warnings: readonly string[]): { err?: string } {
  const shown = warnings.slice(0, MOST_WARNINGS).map((warning) => `warning: ${oneLine(warning, 500)}`);
  const more = warnings.length - shown.length;
  const lines = [
    ...shown,
    ...(more > 0 ? [`and ${more} more warnings, in the record`] : []),
    ...(message === null ? [] : [message]),
  ];
  return lines.length === 0 ? {} : { err: lines.map((line) => `${command}: ${line}\n`).join('') };
}

const MOST_WARNINGS = 10;

function printMessage(sentence: string): void {
  printing('stderr').write(`${sentence}\n`);
}

const guarding = ({ charge, callId }: WrapperRequest) => ({
  projectState: projectState(process.cwd(), process.env),
  userState: userState(process.env),
  task: charge?.task ?? null,
  callId,
});

async function refused(argv: readonly string[], ran: Ran): Promise<Ran> {
  await answerWaiters(argv, ran.exit);
  return ran;
}

/** @returns the request, or what is wrong with the combination of flags. */
function requestOf(
  adapter: Adapter,
  args: Arguments,
  dispatch: Dispatch | null,
  { environment, oneLine, form, caps }: Extras,
): WrapperRequest | string {
  const { text, texts, number, given } = args;
  const unfit = commitMistake(given.has('allow-commit'), text.access!, '--allow-commit', '--access write');
  if (unfit !== null) return unfit;
  for (const flag of ['model', 'resume-session', 'stage'])
    if (text[flag]?.startsWith('-') || /[\n\r\0]/.test(text[flag] ?? ''))
      return `--${flag} must be one line that does not begin with a dash`;
  if (text.stage !== undefined && text.task === undefined) return '--stage needs --task';
  if (given.has('new-task') && text.task === undefined) return '--new-task needs --task';
  if (text.stage !== undefined && !STAGE_ID.test(text.stage))
    return `--stage ${JSON.stringify(text.stage)} ${STAGE_ID_MUST}`;
  const required = texts['require-mcp'] ?? [];
  if (required.some((name) => name === '' || name.startsWith('-') || /\p{Cc}/u.test(name)))
    return '--require-mcp must be the name of an MCP server, or all';
  const charge = chargeOf(adapter, text, given.has('new-task') ? 'new' : 'existing', dispatch);
  if (typeof charge === 'string') return charge;
  const cwd = path.resolve(text.cwd ?? '.');
  return {
    callId: dispatch?.call_id ?? null,
    adapter,
    call: {
      model: text.model ?? null,
      resumeSession: text['resume-session'] ?? null,
      newSession: adapter.sessionId === 'chosen' ? randomUUID() : '',
      access: text.access as CallRequest['access'],
      maxTurns: number['max-turns'] ?? null,
      innerRetries: text['inner-retries'] as CallRequest['innerRetries'],
      trustWorkspace: given.has('trust-workspace') || isTrustedFolder(cwd, environment),
      cwd,
      environment,
      requires: {
        ...requirementsOf(required, given.has('fail-on-denied') ? 'fail' : 'note'),
        ...(form === null || form.schema === null ? {} : { schema: form.schema }),
      },
      own: ownGiven(adapter, args),
    },
    before: [dispatch?.prompt.before, form?.before].filter(Boolean).join('\n\n'),
    ...(oneLine === null ? {} : { ownId: oneLine.callId }),
    ...(oneLine === null || oneLine.prompt === null ? {} : { piped: oneLine.prompt }),
    files: {
      prompt: oneLine?.files.prompt ?? text['prompt-file']!,
      out: path.resolve(oneLine?.files.out ?? text.out!),
      err: path.resolve(oneLine?.files.err ?? text.err!),
      result: oneLine === null ? (text.result ?? null) : oneLine.files.result,
      sessionIdOut: text['session-id-out'] ?? null,
      doneMarker: text['done-marker'] ?? null,
      pidFile: text['pid-file'] ?? null,
    },
    limits: {
      timeoutMs: number['timeout-ms']!,
      ...(dispatch?.timeout_of === undefined ? {} : { timeoutOf: 'task' }),
      timeoutMode: text['timeout-mode'] as 'enforce' | 'wait_done',
      idleTimeoutMs: number['idle-timeout-ms'] ?? null,
      startTimeoutMs: number['start-timeout-ms'] || null,
      maxTurns: number['max-turns'] ?? null,
      maxOutputBytes: number['max-output-bytes']!,
      ...(caps === null ? {} : { caps }),
    },
    charge,
    redactionPatterns: dispatch?.redaction_patterns ?? [],
    ownRows: dispatch?.own_rows ?? [],
    composed: { warnings: dispatch?.prompt?.warnings ?? [], leftOut: dispatch?.prompt?.left_out ?? [] },
    keepRaw: given.has('keep-raw'),
    recordRequests: given.has('record-requests'),
    ignoreHold: given.has('ignore-hold'),
  };
}

function chargeOf(
  adapter: Adapter,
  { task, stage }: Arguments['text'],
  account: 'existing' | 'new',
  dispatch: Dispatch | null,
): WrapperRequest['charge'] | string {
  if (task === undefined) return null;
  const folder = chargedTask(task, account, process.cwd(), process.env);
  if (typeof folder === 'string') return `--task: ${folder}`;
  const { run_id: runId = null, for_prompt: forPrompt = null, nested_calls: nestedCalls = 0 } = dispatch ?? {};
  return { task: folder, stage: stage ?? `${adapter.tool}_adhoc`, runId, forPrompt, nestedCalls };
}
