// Formats an entry of api_errors.log for users: each JSON on one line, and no foreign text at the beginning of a line.

import { visible } from '../text/display.ts';
import type { ApiContext, ApiError, ApiOutcome, ApiSnapshot } from './entry.ts';

export const SNAPSHOT_TITLE = 'Conversation History Snapshot';

/** The snapshot without the length of its line, which is computed here. */
export type Unmeasured = Omit<Extract<ApiSnapshot, { how: 'read' }>, 'bytes'> | { how: 'absent'; why: string };

/**
 * @param data the conversation as one line of JSON; `null` if there is none.
 * @returns whole lines; a blank one comes last.
 */
export function layOut(
  error: Omit<ApiError, 'context'> & { context: Omit<ApiContext, 'snapshot'> },
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
function headOf({
  task,
  stage,
  tool,
  cli_version,
  model,
  call_id,
  session_id,
  ...verdict
}: Omit<ApiContext, 'snapshot'>) {
  const where = task === null ? 'a call without a task' : `task ${task}, stage ${stage}`;
  const who = [tool, cli_version, model === null ? null : `(${model})`].filter((word) => word !== null).join(' ');
  const session = session_id === null ? '' : `, session ${session_id}`;
  const reason = verdict.reason === null ? '' : ` (${verdict.reason})`;
  return oneLine(`${where}: ${who}: ${verdict.class}${reason}; call ${call_id}${session}`);
}

const oneLine = (text: string): string => visible(text).replace(/\s+/g, ' ');

/** Indents all lines of a text by two spaces, so that no message can look like a line of ours. */
const indented = (text: string): string => visible(text).replaceAll('\n', '\n  ');
