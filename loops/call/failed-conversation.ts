// Reads what remains of a failed call for the log: its redacted conversation, the failure report of its CLI, and its last events.

import path from 'node:path';
import type { Unmeasured } from '../../policies/api-errors/log-format.ts';
import { redactValue } from '../../policies/redact/redactor.ts';
import type { Item } from '../../policies/session/conversation.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { readRegular, readTail } from '../../state/disk/regular-file.ts';
import type { Adapter, FailureReport } from '../../wrappers/adapter.ts';
import type { Conversation } from '../../wrappers/sessions/store.ts';
import { type Attempt, hasOwnTemporary } from '../attempt/attempt.ts';
import type { RecordableCall } from '../attempt/phases.ts';

interface TakenSnapshot {
  snapshot: Unmeasured;
  /** One line of JSON. */
  data: string;
  /** The last thoughts, tool calls and results. */
  before: Item[];
}

/** Tries the CLI's session file first, then the conversation in the CLI's failure report, then the prompt that we sent. */
export async function takeSnapshot(
  call: RecordableCall,
  sessionId: string | null,
  report: ClientError | null,
): Promise<TakenSnapshot> {
  const opened = await openSession(call, sessionId);
  if (opened.how === 'opened') {
    const { conversation } = opened;
    const { data, less } = turnsOf(conversation, call);
    const { file } = conversation.session;
    return { snapshot: { how: 'read', from: 'session_file', file, less }, data, before: leadingUp(conversation) };
  }
  const { why } = opened;
  if (report?.conversation) {
    const data = listed(report.conversation.map((part) => redactedJson(part, call)));
    return { snapshot: { how: 'read', from: 'client_error', file: report.file, less: why }, data, before: [] };
  }
  const { prompt } = call;
  if (prompt === null) return { snapshot: { how: 'absent', why }, data: 'null', before: [] };
  const sent = redactedJson({ number: 1, prompt: prompt.toString('utf8'), items: [] }, call);
  const less = `only what was sent: ${why}`;
  return { snapshot: { how: 'read', from: 'prompt', file: null, less }, data: listed([sent]), before: [] };
}

type Opened = { how: 'opened'; conversation: Conversation } | { how: 'none'; why: string };

/** Whatever is wrong with a session file, an entry without it is better than no entry. */
async function openSession({ request }: RecordableCall, id: string | null): Promise<Opened> {
  const { adapter, call } = request;
  if (id === null) return { how: 'none', why: 'the call has no session' };
  try {
    const store = await adapter.sessions();
    const session = await store.find(id, { environment: call.environment, cwd: call.cwd });
    if (session === null) return { how: 'none', why: `${adapter.tool} has no file of session ${id}` };
    const conversation = store.open(session);
    if (conversation.turns > 0) return { how: 'opened', conversation };
    return { how: 'none', why: `${session.file} holds no prompt` };
  } catch (error) {
    return { how: 'none', why: (error as Error).message };
  }
}

/** The maximum size of one entry. Of a longer conversation, only the end is kept. */
const MAX_BYTES = 32 * 1024 * 1024;
const AT_ONCE = 20;

function turnsOf(conversation: Conversation, call: RecordableCall): { data: string; less: string | null } {
  const kept: string[] = [];
  let bytes = 0;
  for (let to = conversation.turns; to > 0; to -= AT_ONCE) {
    const part = conversation.read(Math.max(1, to - AT_ONCE + 1), to).map((turn) => redactedJson(turn, call));
    bytes += part.reduce((sum, one) => sum + one.length, 0);
    if (bytes > MAX_BYTES && kept.length > 0)
      return { data: listed(kept), less: `turns 1 to ${to} are omitted; they are in the file` };
    kept.unshift(...part);
  }
  return { data: listed(kept), less: null };
}

const listed = (parts: readonly string[]): string => `[${parts.join(',')}]`;

/** Redacts the values first, then the text with the names: in `"password": 1`, only the name reveals the secret. */
const redactedJson = (value: unknown, { redactor }: RecordableCall): string =>
  redactor.redact(JSON.stringify(redactValue(value, redactor.redact)));

/** The last thoughts, tool calls and results of the conversation. */
const MOST_ITEMS = 20;

const leadingUp = (conversation: Conversation): Item[] =>
  conversation
    .read(conversation.turns, conversation.turns)
    .flatMap(({ items }) => items.filter(({ how }) => how !== 'said'))
    .slice(-MOST_ITEMS);

/** A CLI's own failure report, stored in its $TMPDIR. */
export interface ClientError extends FailureReport {
  file: string;
}

/** Reads the last report: the error's stack and the whole conversation that was sent; null if none can be read. */
export function clientError({ failureReport }: Adapter, attempt: Attempt): ClientError | null {
  if (failureReport === null) return null;
  // If another process made the call, the folder's name comes from a file that an agent may have written.
  if (!hasOwnTemporary(attempt)) return null;
  const files = namesIfAny(attempt.temporary).filter((name) => name.startsWith(failureReport.begins));
  // A helper's request also has a report. The report of the conversation is the last one, by the time in its name.
  files.sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1));
  const last = files.at(-1);
  if (last === undefined) return null;
  const file = path.join(attempt.temporary, last);
  try {
    return { file, ...failureReport.read(readRegular(file)) };
  } catch {
    // The CLI was ended while it wrote the report, or the path is not a regular file.
    return null;
  }
}

const timeIn = (name: string): string => /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';

/**
 * Returns the last events in the CLI's output file, oldest first. It skips message deltas. It shortens long events and returns
 * them as text. Throws the errors of the operating system.
 */
export function lastEvents(file: string): unknown[] {
  const lines = tailOf(file).split('\n').filter(isEvent);
  return lines
    .slice(-MOST_EVENTS)
    .map((line) => (line.length > MAX_EVENT_CHARS ? `${line.slice(0, MAX_EVENT_CHARS)}…` : parsed(line)));
}

const MOST_EVENTS = 20;

const MAX_EVENT_CHARS = 8000;

const TAIL_BYTES = 256 * 1024;

const isEvent = (line: string): boolean => line.startsWith('{') && !/"type":"[^"]*_delta"/.test(line.slice(0, 200));

/** Starts at the first complete line. */
function tailOf(file: string): string {
  const { text, bytes } = readTail(file, TAIL_BYTES);
  return bytes <= TAIL_BYTES ? text : text.slice(text.indexOf('\n') + 1);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
