// Guards the SDK's stdin: answers and skips a line that is not a message, or that is too large for one.

import type { Writable } from 'node:stream';
import { Transform } from 'node:stream';

/** The SDK would close the connection at its own limit, which is twice this. */
export const MAX_MESSAGE_BYTES = 4 * 1024 ** 2;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NEWLINE = 0x0a;

/** @param out where messages are answered; no further messages are read while its reader is behind. */
export function createLineGuard(out: Writable): Transform {
  let begun: Buffer[] = [];
  let bytes = 0;
  /** Whether the current line is already too large. */
  let isPassedOver = false;

  function take(part: Buffer): void {
    bytes += part.length;
    if (bytes > MAX_MESSAGE_BYTES) {
      begun = [];
      isPassedOver = true;
    } else begun.push(part);
  }

  /** @returns the line if it is a message. */
  function endOfLine(): Buffer | null {
    const line = Buffer.concat(begun);
    const mistake: ReturnType<typeof mistakeIn> = isPassedOver
      ? [INVALID_REQUEST, `a message has at most ${MAX_MESSAGE_BYTES} bytes; this one was passed over`]
      : mistakeIn(line.toString('utf8'));
    [begun, bytes, isPassedOver] = [[], 0, false];
    if (mistake === null) return line.toString('utf8').trim() === '' ? null : line;
    const [code, message, id] = mistake;
    out.write(`${JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } })}\n`);
    return null;
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let at = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
        take(chunk.subarray(at, end));
        const line = endOfLine();
        if (line !== null) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
        at = end + 1;
      }
      take(chunk.subarray(at));
      if (out.writableNeedDrain) out.once('drain', () => done());
      else done();
    },
  });
}

function mistakeIn(line: string): [code: number, message: string, id?: string | number] | null {
  if (line.trim() === '') return null;
  try {
    const message = JSON.parse(line) as Message | null;
    if (message?.jsonrpc === '2.0') return mistakeInToken(message);
    return [INVALID_REQUEST, 'a message is one JSON object with "jsonrpc": "2.0"'];
  } catch {
    return [PARSE_ERROR, 'a line is one JSON object; this one is none'];
  }
}

interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  params?: { _meta?: { progressToken?: unknown } | null } | null;
}

/** The SDK would drop such a request silently, and its sender would wait forever. */
function mistakeInToken({ id, params }: Message): ReturnType<typeof mistakeIn> {
  const token = params?._meta?.progressToken;
  if (!isId(id) || token === undefined || isId(token)) return null;
  return [INVALID_REQUEST, '_meta.progressToken is text or a whole number', id];
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isInteger(value);
