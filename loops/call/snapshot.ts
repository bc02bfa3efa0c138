// Reads the conversation of a failed call from the best source that still exists, and redacts it.

import type { Unmeasured } from '../../policies/api-errors/layout.ts';
import { redactValue } from '../../policies/redact/redactor.ts';
import type { Item } from '../../policies/session/conversation.ts';
import type { Conversation } from '../../wrappers/sessions/store.ts';
import type { RecordableCall } from '../attempt/phases.ts';
import type { ClientError } from './last-words.ts';

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

const LEADING = 20;

const leadingUp = (conversation: Conversation): Item[] =>
  conversation
    .read(conversation.turns, conversation.turns)
    .flatMap(({ items }) => items.filter(({ how }) => how !== 'said'))
    .slice(-LEADING);
