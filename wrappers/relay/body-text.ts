// The text of a body that went through the relay: unpacked, and only where it is text.

import * as zlib from 'node:zlib';
import { BEYOND_BYTES, type KeptBody, MOST_KEPT_BYTES, type RawHeaders } from './exchange.ts';

/** `cut`: more went through than is kept; what is beyond the limit is to be taken off once secrets are out. */
type BodyText = { how: 'text'; text: string; cut: boolean } | { how: 'failed'; why: string };

export function bodyText(body: KeptBody, headers: RawHeaders): BodyText {
  const cut = body.bytes > body.keptBytes;
  const encoding = headerIn(headers, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  const unpack = Object.hasOwn(UNPACKED, encoding) ? UNPACKED[encoding] : undefined;
  if (unpack === undefined) return { how: 'failed', why: `packed as ${encoding}, which is not unpacked here` };
  try {
    const bytes = unpack(Buffer.concat(body.chunks));
    return { how: 'text', text: DECODER().decode(bytes, { stream: true }), cut };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return { how: 'failed', why: 'larger than is kept once it is unpacked' };
    return { how: 'failed', why: encoding === 'identity' ? 'no text' : `no ${encoding} with text in it` };
  }
}

/** Omits half a character at the end. Refuses anything else that is not text. */
const DECODER = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const headerIn = (headers: RawHeaders, name: string): string | null =>
  headers.find((_, i) => i % 2 === 1 && headers[i - 1]!.toLowerCase() === name) ?? null;

const LIMIT = { maxOutputLength: MOST_KEPT_BYTES + BEYOND_BYTES };
/** An answer that was broken off is unpacked as far as it goes. */
const GZIP = { ...LIMIT, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const BROTLI = { ...LIMIT, finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

const UNPACKED: Record<string, ((bytes: Buffer) => Buffer) | undefined> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => zlib.gunzipSync(bytes, GZIP),
  'x-gzip': (bytes) => zlib.gunzipSync(bytes, GZIP),
  deflate: (bytes) => zlib.inflateSync(bytes, GZIP),
  br: (bytes) => zlib.brotliDecompressSync(bytes, BROTLI),
};
