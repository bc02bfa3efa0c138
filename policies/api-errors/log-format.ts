// Writes and parses api_errors.log. Torn and foreign lines are skipped and never taken for an entry.

import { visible } from '../text/display.ts';
import { numberOf, parseObject, partOf, textOf } from '../text/json.ts';
import { tried } from '../text/tried.ts';
import {
  API_ERROR_VERSION,
  type ApiContext,
  type ApiError,
  type ApiOutcome,
  type ApiSnapshot,
  type FailedCallContext,
  type Response,
} from './entry.ts';

const SNAPSHOT_TITLE = 'Conversation History Snapshot';

/** The snapshot without the length of its line, which is computed here. */
export type Unmeasured = Omit<Extract<ApiSnapshot, { how: 'read' }>, 'bytes'> | { how: 'absent'; why: string };

/** @param data the conversation as one line of JSON, or `null`. @returns whole lines; a blank one comes last. */
export function layOut(
  error: Omit<ApiError, 'context'> & { context: FailedCallContext },
  snapshot: Unmeasured,
  data: string,
): string {
  const { at, context, message, stack, response, before } = error;
  const measured: ApiContext = { ...context, snapshot: { ...snapshot, bytes: Buffer.byteLength(data) } };
  return [
    `[${at}] ERROR: ${headOf(context)}`,
    `Context: ${JSON.stringify(measured)}`,
    `Message: ${indented(message)}`,
    ...(stack === null ? [] : [`Stack: ${indented(stack)}`]),
    `Response: ${JSON.stringify(response)}`,
    `Before: ${JSON.stringify(before)}`,
    '---',
    `[${at}] ${SNAPSHOT_TITLE}`,
    `Data: ${data}`,
    '\n',
  ].join('\n');
}

export const layOutOutcome = ({ at, ...outcome }: ApiOutcome): string =>
  `[${at}] OUTCOME: ${outcome.how} ${JSON.stringify(outcome)}\n\n`;

/** For human readers only: the line below it has the same data for machines. */
function headOf({ task, stage, tool, cli_version, model, call_id, session_id, ...verdict }: FailedCallContext) {
  const where = task === null ? 'a call without a task' : `task ${task}, stage ${stage}`;
  const who = [tool, cli_version, model === null ? null : `(${model})`].filter((word) => word !== null).join(' ');
  const session = session_id === null ? '' : `, session ${session_id}`;
  const reason = verdict.reason === null ? '' : ` (${verdict.reason})`;
  return oneLine(`${where}: ${who}: ${verdict.class}${reason}; call ${call_id}${session}`);
}

const oneLine = (text: string): string => visible(text).replace(/\s+/g, ' ');

/** Indents all lines of a text by two spaces, so that no message can look like a line of ours. */
const indented = (text: string): string => visible(text).replaceAll('\n', '\n  ');

/** A line may contain a large conversation, so only its beginning is read. */
interface LogLine {
  text: string;
  /** The length of the whole line, without its newline. */
  bytes: number;
  /** The offset of the line in its file. */
  at: number;
}

export type ParsedEntry =
  /** `at`: the offset of the entry in the file. `data`: the place of its conversation. */
  | { how: 'entry'; entry: ApiError; at: number; data: { at: number; bytes: number } }
  | { how: 'outcome'; outcome: ApiOutcome }
  /** `at`: the offset in the file. */
  | { how: 'invalid'; at: number };

interface Parser {
  take(line: LogLine): ParsedEntry[];
  /** Call after the last line. */
  end(): ParsedEntry[];
}

interface Draft {
  from: number;
  at: string;
  context: ApiContext | null;
  message: string | null;
  stack: string | null;
  response: Response | null;
  before: unknown[];
  /** The text that an indented line continues. */
  open: 'message' | 'stack' | null;
  titled: boolean;
}

export function createParser(): Parser {
  let draft: Draft | null = null;
  /** A broken entry is reported once, however many of its lines follow. */
  let skipping = false;
  const broken = (): ParsedEntry[] => {
    const found: ParsedEntry[] = draft === null ? [] : [{ how: 'invalid', at: draft.from }];
    draft = null;
    return found;
  };
  return {
    take(line) {
      const { text, at } = line;
      const head = HEAD.exec(text);
      if (head !== null) {
        const found = broken();
        skipping = false;
        if (head[2] === 'ERROR') draft = begun(at, head[1]!);
        else found.push(readOutcome(line, head[1]!));
        return found;
      }
      if (draft === null) {
        if (text.trim() === '' || skipping) return [];
        skipping = true;
        return [{ how: 'invalid', at }];
      }
      if (text.startsWith(DATA)) {
        const entry = finished(draft, line);
        draft = entry === null ? draft : null;
        skipping = entry === null;
        return entry === null ? broken() : [entry];
      }
      if (addLine(draft, text)) return [];
      skipping = true;
      return broken();
    },
    end: () => broken(),
  };
}

const HEAD = /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)\] (ERROR|OUTCOME): /;
const DATA = 'Data: ';

const begun = (from: number, at: string): Draft => ({
  from,
  at,
  context: null,
  message: null,
  stack: null,
  response: null,
  before: [],
  open: null,
  titled: false,
});

/** Whether the line belongs to the entry. Unknown fields, which a later version may have added, belong to it. */
function addLine(draft: Draft, text: string): boolean {
  if (text.startsWith('  ') && draft.open !== null) {
    draft[draft.open] += `\n${text.slice(2)}`;
    return true;
  }
  draft.open = null;
  if (text === '---' || text === '') return true;
  if (text.endsWith(`] ${SNAPSHOT_TITLE}`)) {
    draft.titled = true;
    return true;
  }
  const [, name, value] = /^([A-Z][a-z]+): (.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return false;
  return FIELDS[name]?.(draft, value) ?? true;
}

const FIELDS: Record<string, (draft: Draft, value: string) => boolean> = {
  Context: (draft, value) => {
    draft.context = readContext(value);
    return draft.context !== null;
  },
  Message: (draft, value) => {
    [draft.message, draft.open] = [value, 'message'];
    return true;
  },
  Stack: (draft, value) => {
    [draft.stack, draft.open] = [value, 'stack'];
    return true;
  },
  Response: (draft, value) => {
    draft.response = parseObject(value) as Response | null;
    return draft.response !== null;
  },
  Before: (draft, value) => {
    const before = parsed(value);
    draft.before = Array.isArray(before) ? before : [];
    return Array.isArray(before);
  },
};

/** Returns null if the entry is incomplete: its conversation was cut, or lines are missing. */
function finished(draft: Draft, { bytes, at }: LogLine): ParsedEntry | null {
  const { context, message, response, stack, before, titled } = draft;
  if (context === null || message === null || response === null || !titled) return null;
  const data = { at: at + DATA.length, bytes: bytes - DATA.length };
  if (context.snapshot.bytes !== data.bytes) return null;
  return { how: 'entry', entry: { at: draft.at, context, message, stack, response, before }, at: draft.from, data };
}

function readOutcome({ text, at: from }: LogLine, at: string): ParsedEntry {
  const json = parseObject(text.slice(text.indexOf('{')));
  const [call_id, how, why] = [textOf(json?.call_id), textOf(json?.how), textOf(json?.why)];
  if (call_id === null || why === null || !FATES.has(how ?? '')) return { how: 'invalid', at: from };
  return { how: 'outcome', outcome: { at, call_id, how: how as ApiOutcome['how'], why } };
}

const FATES: ReadonlySet<string> = new Set(['recovered', 'unrecovered', 'retried'] satisfies ApiOutcome['how'][]);

/** Checks only the fields that readers use. */
function readContext(text: string): ApiContext | null {
  const json = parseObject(text);
  const snapshot = partOf(json?.snapshot);
  const isWhole =
    (numberOf(json?.v) ?? Number.POSITIVE_INFINITY) <= API_ERROR_VERSION &&
    [json?.call_id, json?.tool, json?.class, snapshot?.how].every((value) => typeof value === 'string') &&
    numberOf(snapshot?.bytes) !== null;
  return isWhole ? (json as unknown as ApiContext) : null;
}

const parsed = (text: string): unknown => tried(() => JSON.parse(text));
