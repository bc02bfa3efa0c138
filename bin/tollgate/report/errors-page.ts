// Renders the API failures, one block each or as they are in the log, and the health of the services by day and tool.

import type { ErrorsReport, HealthReport, LoggedError } from '../../../loops/upkeep/collect-errors.ts';
import type { ApiContext, ApiSnapshot } from '../../../policies/api-errors/entry.ts';
import type { Counts } from '../../../policies/api-errors/health.ts';
import { visible } from '../../../policies/text/display.ts';
import { readData } from '../../../state/api-errors/read.ts';
import { columns } from '../../wrap.ts';

export function renderErrors(report: ErrorsReport, how: 'short' | 'full'): string {
  const { errors, left_out, folder } = report;
  const blocks = errors.map(how === 'full' ? wholeOf : blockOf);
  const count = errors.length === 1 ? '1 API failure' : `${errors.length} API failures`;
  const older = left_out === 0 ? '' : ` (${left_out} more; --last N or --since shows others)`;
  const closing = [
    `${errors.length === 0 ? 'No API failure' : count} in ${folder}${older}`,
    ...unreadableOf(report),
  ].join('\n');
  return `${[...blocks, closing].join('\n\n')}\n`;
}

/** What `--errors --json` prints. */
export interface ErrorsObject extends Omit<ErrorsReport, 'errors'> {
  schema: 1;
  /** When the report was made, ISO time. */
  at: string;
  errors: ErrorObject[];
}

export interface ErrorObject
  extends Omit<ApiContext, 'v'>,
    Pick<LoggedError, 'at' | 'status' | 'message' | 'headers' | 'stand' | 'log'> {
  /** With `--full`; null if it is gone, or too large. */
  conversation?: unknown;
}

export function errorsObject(
  { folder, errors, left_out, unreadable }: ErrorsReport,
  now: Date,
  how: 'short' | 'full',
): ErrorsObject {
  return {
    schema: 1,
    at: now.toISOString(),
    folder,
    errors: errors.map(({ at, context: { v: _, ...context }, message, status, headers, stand, log, data }) => ({
      at,
      ...context,
      status,
      message,
      headers,
      stand,
      log,
      ...(how === 'full' ? { conversation: conversationOf(log, data) } : {}),
    })),
    left_out,
    unreadable,
  };
}

function blockOf({ at, context, message, status, stand, log }: LoggedError): string {
  const { task, stage, tool, cli_version, class: errorClass, reason, session_id, snapshot, call_id, request } = context;
  const where = task === null ? 'a call without a task' : `${task}/${stage}`;
  const rows = [
    `${at}  ${where}  ${tool} ${cli_version ?? '(version unknown)'}  ${errorClass}${reason === null ? '' : ` (${reason})`}  ${STAND_WORDS[stand]}`,
    `  ${status === null || message.includes(`${status}`) ? '' : `${status}: `}${message}`,
    `  call ${call_id}, session ${session_id ?? 'unknown'}`,
    `  ${snapshotWords(snapshot, log)}`,
    ...(request?.source === 'relay' ? [`  the request and its answer, as they went: ${request.file}`] : []),
  ];
  return rows.map(oneLine).join('\n');
}

const STAND_WORDS = {
  recovered: 'recovered',
  retried: 'retried, and failed again',
  unrecovered: 'NOT RECOVERED',
  open: 'its stage has not ended',
} as const satisfies Record<LoggedError['stand'], string>;

const SOURCES = {
  session_file: 'of the session file',
  client_error: "of gemini's own report",
  prompt: 'of the prompt alone',
} as const;

function snapshotWords(snapshot: ApiSnapshot, log: string): string {
  if (snapshot.how === 'absent') return `no conversation (${snapshot.why}); the entry: ${log}`;
  const less = snapshot.less === null ? '' : ` (${snapshot.less})`;
  return `conversation ${SOURCES[snapshot.from] ?? ''} (${snapshot.bytes} bytes) in ${log}${less}`;
}

/** Returns the entry as it is in the log. An entry and its conversation are in one contiguous piece. */
function wholeOf({ log, from, data, at }: LoggedError): string {
  const bytes = data.at + data.bytes - from;
  const text = bytes > MAX_SHOWN_BYTES ? null : readData(log, { at: from, bytes });
  return visible(text ?? `${at}: the entry has ${bytes} bytes, or is there no more; read ${log} from byte ${from}`);
}

/** A string cannot be much longer. */
const MAX_SHOWN_BYTES = 64 * 1024 * 1024;

function conversationOf(log: string, data: LoggedError['data']): unknown {
  const text = data.bytes > MAX_SHOWN_BYTES ? null : readData(log, data);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function unreadableOf({ unreadable }: ErrorsReport): string[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const many = unreadable.length === 1 ? '1 entry is' : `${unreadable.length} entries are`;
  return [`${many} torn, unreadable or of a newer version, and passed over: ${first.file}, byte ${first.at}`];
}

const oneLine = (text: string): string => {
  const [, space, words] = /^(\s*)(.*)$/s.exec(visible(text))!;
  const line = words!.replace(/\s+/g, (gap) => (gap === '  ' ? gap : ' ')).trimEnd();
  return `${space}${line.length > 300 ? `${line.slice(0, 299)}…` : line}`;
};

/** What `--health --json` prints. */
export interface HealthObject extends HealthReport {
  schema: 1;
  /** When the report was made, ISO time. */
  at: string;
  /** The start of the counted period, ISO time. */
  since: string;
}

export function renderHealth(health: HealthReport, since: string): string {
  const { days, tools, total, unreadable, folder } = health;
  const blocks = [
    [headline(health, since)],
    days.length === 0
      ? []
      : columns([['DAY', ...HEADINGS], ...days.map(({ day, ...of }) => [day, ...cellsOf(of)])]).map(visible),
    tools.length === 0
      ? []
      : columns([
          ['TOOL', 'VERSION', ...HEADINGS],
          ...tools.map(({ tool, cli_version, ...of }) => [tool, cli_version ?? 'unknown', ...cellsOf(of)]),
        ]).map(visible),
    [
      `Since ${since.slice(0, 10)}: ${total.unrecovered} unrecovered, ${total.recovered} recovered, ${total.users} for the user (auth, quota), ${total.open} open; ${folder}`,
      'Unrecovered: it ended its stage, or its call alone. A call that no run made counts as such, whatever its caller did then.',
      ...(unreadable === 0
        ? []
        : [
            unreadable === 1
              ? '1 entry could not be read and is not counted'
              : `${unreadable} entries could not be read and are not counted`,
          ]),
    ],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headline({ days_without, last_unrecovered, first_logged, folder }: HealthReport, since: string) {
  if (days_without !== null) {
    const days = days_without === 1 ? '1 day' : `${days_without} days`;
    return `${days} without a failure that Tollgate could not recover (the last: ${last_unrecovered!.slice(0, 16)}Z)`;
  }
  if (first_logged !== null)
    return `No failure that Tollgate could not recover since the log began (${first_logged.slice(0, 16)}Z)`;
  return `No API failure at all is logged in ${folder} (looked at since ${since.slice(0, 16)}Z)`;
}

const HEADINGS = ['UNRECOVERED', 'RECOVERED', "USER'S", 'OPEN'] as const;

const cellsOf = ({ unrecovered, recovered, users, open }: Counts): string[] =>
  [unrecovered, recovered, users, open].map(String);
