// A file to the Files API in pieces; one that failed half-way goes on where the service has it, which the SDK cannot.

import { close, fstat, read } from 'node:fs';
import { promisify } from 'node:util';
import { cut } from '../../policies/text/display.ts';
import { parseObject, partOf } from '../../policies/text/json.ts';
import { openFollowed, UnfitFileError } from '../../state/disk/regular-file.ts';
import { type BookToUpload, ServiceFailure } from './document-service.ts';
import { type Line, send, unreadable } from './line.ts';

interface Uploader {
  /** The service's own description of the file. */
  upload: (book: BookToUpload, options: { signal: AbortSignal; sent: (bytes: number) => void }) => Promise<unknown>;
}

/** A started upload: where its pieces go, and what size each but the last is a multiple of. */
interface Session {
  url: string;
  granularity: number;
}

/** @param startUrl where an upload begins; all else goes to the same host, whatever the service names. */
export function createUploader(line: Line, startUrl: string): Uploader {
  /** By the file as it was; one that has changed since is another. */
  const unfinished = new Map<string, Session>();

  return {
    upload: async (book, { signal, sent }) => {
      const fd = openFollowed(book.file);
      try {
        const { ino, size, mtimeMs } = await stat(fd);
        if (size === 0) throw new UnfitFileError(book.file, 'EINVAL', 'is empty: there is nothing to upload');
        const id = [book.file, ino, size, mtimeMs, book.mimeType].join(' ');
        const buffers = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafeSlow(READ_BYTES));
        const source: Source = { fd, size, book, signal, sent, buffers };
        const known = unfinished.get(id);
        unfinished.delete(id);
        const at = known === undefined ? null : await offsetOf(line, known, signal);
        const session = known !== undefined && at !== null ? known : await start(line, startUrl, source);
        unfinished.set(id, session);
        const file = await sendPieces(line, session, at ?? 0, source);
        unfinished.delete(id);
        return file;
      } finally {
        await closed(fd);
      }
    },
  };
}

interface Source {
  fd: number;
  size: number;
  book: BookToUpload;
  signal: AbortSignal;
  sent: (bytes: number) => void;
  buffers: Buffer[];
}

const [stat, readAt, closed] = [promisify(fstat), promisify(read), promisify(close)];

/** Large enough that few requests are needed, small enough for a progress that is worth looking at. */
const PIECE_BYTES = 2 * 1024 * 1024;

async function start(line: Line, startUrl: string, { size, book, signal }: Source): Promise<Session> {
  const answered = await send(
    line,
    startUrl,
    {
      method: 'POST',
      headers: {
        ...authorised(line),
        'content-type': 'application/json',
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': String(size),
        'x-goog-upload-header-content-type': book.mimeType,
      },
      body: JSON.stringify({ file: { displayName: cut(book.displayName, 512) } }),
    },
    signal,
  );
  const named = answered.headers.get('x-goog-upload-url');
  if (named === null || !URL.canParse(named))
    throw unreadable(line, 'to the start of an upload, and named no place for it', answered.status, answered.text);
  const url = new URL(named);
  const { protocol, host } = new URL(startUrl);
  Object.assign(url, { protocol, host });
  return { url: url.href, granularity: Number(answered.headers.get('x-goog-upload-chunk-granularity')) || 1 };
}

/** How much of it the service has; null where it knows nothing of that upload any more, or it is done and its end was missed. */
async function offsetOf(line: Line, { url }: Session, signal: AbortSignal): Promise<number | null> {
  try {
    const { headers } = await post(line, url, { 'x-goog-upload-command': 'query' }, undefined, signal);
    const received = Number(headers.get('x-goog-upload-size-received') ?? Number.NaN);
    return headers.get(STATUS) === 'active' && Number.isSafeInteger(received) ? received : null;
  } catch (error) {
    if (error instanceof ServiceFailure && error.status !== null && error.status < 500 && error.status !== 429)
      return null;
    throw error;
  }
}

const STATUS = 'x-goog-upload-status';

async function sendPieces(line: Line, session: Session, from: number, source: Source): Promise<unknown> {
  const { size, signal, sent } = source;
  const piece = Math.ceil(PIECE_BYTES / session.granularity) * session.granularity;
  for (let at = from; ; ) {
    sent(at);
    const to = Math.min(at + piece, size);
    const last = to === size;
    const headers = {
      'x-goog-upload-command': last ? 'upload, finalize' : 'upload',
      'x-goog-upload-offset': String(at),
      'content-length': String(to - at),
    };
    const bytes = bytesOf(source, at, to);
    const answered = await post(line, session.url, headers, bytes.stream, signal).catch((error: unknown) => {
      throw bytes.unread() ?? error;
    });
    at = to;
    if (!last) continue;
    sent(at);
    return fileIn(line, answered);
  }
}

const READ_BYTES = 65_536;

/** Twice what a socket holds unsent. After that a buffer can be used again, so memory use stays constant. */
const BUFFERS = 16;

/** As the line takes them: a piece as a whole would be copied once more by fetch. `unread`: why no more could be read. */
function bytesOf({ fd, book, buffers }: Source, from: number, to: number) {
  let fault: unknown = null;
  let at = from;
  const pull = async (stream: ReadableStreamDefaultController<Uint8Array>) => {
    const buffer = buffers.shift()!;
    buffers.push(buffer);
    try {
      const { bytesRead } = await readAt(fd, buffer, 0, Math.min(READ_BYTES, to - at), at);
      if (bytesRead === 0) throw new UnfitFileError(book.file, 'EINVAL', 'became shorter while it was uploaded');
      at += bytesRead;
      stream.enqueue(buffer.subarray(0, bytesRead));
      if (at === to) stream.close();
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  return { stream: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }), unread: () => fault };
}

function fileIn(line: Line, { headers, status, text }: { headers: Headers; status: number; text: string }): unknown {
  const file = partOf(parseObject(text)?.file);
  if (headers.get(STATUS) === 'final' && file !== null) return file;
  throw unreadable(line, 'to the end of an upload, and named no file', status, text);
}

const post = (
  line: Line,
  url: string,
  headers: Record<string, string>,
  body: ReadableStream<Uint8Array> | undefined,
  signal: AbortSignal,
) => {
  const init = { method: 'POST', headers: { ...authorised(line), ...headers }, duplex: 'half' as const };
  return send(line, url, body === undefined ? init : { ...init, body }, signal);
};

const authorised = ({ key }: Line) => ({ 'x-goog-api-key': key });
