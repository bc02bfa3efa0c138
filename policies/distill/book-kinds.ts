// Lists the kinds of books and their limits, and detects from a file's bytes which kind it is.

export type BookKind = keyof typeof BOOK_KINDS;

interface BookKindRow {
  called: string;
  /** The type under which the book is sent. */
  mimeType: 'application/pdf' | 'text/plain';
  maxBytes: number;
  maxPages: number | null;
  source: string;
  /** When that page stated the limits. */
  seen: string;
}

const MIB = 1024 * 1024;

/**
 * Gemini documents PDF and text for documents, and reads everything else "as text". EPUB is in none of its lists, so we convert
 * an EPUB to text. The Files API accepts 2 GB of any file. Yet a request rejects a PDF of more than 52 428 800 bytes.
 */
export const BOOK_KINDS = {
  pdf: {
    called: 'a PDF',
    mimeType: 'application/pdf',
    maxBytes: 50 * MIB,
    maxPages: 1000,
    source: 'https://ai.google.dev/gemini-api/docs/document-processing; googleapis/python-genai#308, #353',
    seen: '2026-11-23',
  },
  epub: {
    called: 'an EPUB',
    mimeType: 'text/plain',
    maxBytes: 2048 * MIB,
    maxPages: null,
    source: 'https://ai.google.dev/gemini-api/docs/files',
    seen: '2026-11-23',
  },
  text: {
    called: 'a text',
    mimeType: 'text/plain',
    maxBytes: 2048 * MIB,
    maxPages: null,
    source: 'https://ai.google.dev/gemini-api/docs/files',
    seen: '2026-11-23',
  },
} as const satisfies Record<string, BookKindRow>;

/** The most that is read of an EPUB: a tiny archive may unpack to any size; the longest books have 10 MiB of text. */
export const EPUB_LIMITS = { entries: 20_000, entryBytes: 32 * MIB, totalBytes: 256 * MIB, textBytes: 64 * MIB };

type HeadFound = { how: 'pdf' } | { how: 'archive' } | { how: 'text' } | { how: 'other'; what: string };

/** The number of bytes that are examined. A PDF may have other bytes before its header. */
export const HEAD_BYTES = 4096;

/** Detects by its first bytes what a file is: maybe an EPUB, if an archive. @param isWhole whether `head` is all. */
export function kindOfHead(head: Uint8Array, isWhole: boolean): HeadFound {
  const latin = Buffer.from(head).toString('latin1');
  if (latin.slice(0, 1024).includes('%PDF-')) return { how: 'pdf' };
  if (/^PK(?:\x03\x04|\x05\x06)/.test(latin)) return { how: 'archive' };
  const other = OTHERS.find(([marks]) => marks.test(latin));
  if (other !== undefined) return { how: 'other', what: other[1] };
  return isText(head, isWhole) ? { how: 'text' } : { how: 'other', what: 'neither a PDF, an EPUB nor a text in UTF-8' };
}

/** Files that users mistake for a book, or save instead of one. */
const OTHERS: readonly (readonly [marks: RegExp, what: string])[] = [
  [/^\x89PNG/, 'a PNG picture'],
  [/^\xff\xd8\xff/, 'a JPEG picture'],
  [/^GIF8/, 'a GIF picture'],
  [/^.{60}(?:BOOKMOBI|TEXtREAd)/s, 'a Kindle book (MOBI); convert it to EPUB'],
  [/^\xea\x9bDRMION/, 'a Kindle book with protection'],
  [/^AT&TFORM/, 'a DjVu document; convert it to PDF'],
  [/^\xd0\xcf\x11\xe0/, 'an old Office document; save it as PDF'],
  [/^\{\\rtf/, 'an RTF document; save it as PDF or as text'],
  [/^\x1f\x8b/, 'a gzip archive; unpack it'],
  [/^(?:Rar!|7z\xbc\xaf)/, 'an archive; unpack it'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'a text in UTF-16; save it in UTF-8'],
  [/^%!PS/, 'a PostScript document; convert it to PDF'],
];

function isText(head: Uint8Array, isWhole: boolean): boolean {
  try {
    // A character may be cut at the end of the bytes that were read.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}

/** A text that is named like another kind is usually a saved error page. */
export const isNamedAsBook = (name: string): boolean => /\.(?:pdf|epub)$/i.test(name);

interface Utf8Check {
  /** After an invalid byte, nothing more is read. */
  take(bytes: Uint8Array): void;
  /** Call after the last piece. `bad`: counted from 1. */
  said(): { bad: number | null; hasWord: boolean };
}

/** Checks in pieces whether a file is UTF-8 text with at least one word, and finds the first invalid byte. */
export function createUtf8Check(): Utf8Check {
  const decoder = decoderOf();
  let [taken, bad, hasWord] = [0, null as number | null, false];
  // The end of the previous piece. A character has at most 4 bytes.
  let tail: Buffer = Buffer.alloc(0);
  return {
    take(bytes) {
      if (bad !== null) return;
      try {
        hasWord = /\S/.test(decoder.decode(bytes, { stream: true })) || hasWord;
      } catch {
        const looked = Buffer.concat([tail, bytes]);
        bad = taken - tail.length + goodBytes(looked) + 1;
      }
      taken += bytes.length;
      tail = openEnd(Buffer.concat([tail, bytes.subarray(-3)]).subarray(-3));
    },
    said() {
      if (bad !== null) return { bad, hasWord };
      try {
        decoder.decode();
        return { bad, hasWord };
      } catch {
        return { bad: taken - tail.length + 1, hasWord };
      }
    },
  };
}

const decoderOf = () => new TextDecoder('utf-8', { fatal: true });

/** Returns the bytes from the start of a character that may continue in the next piece. */
function openEnd(bytes: Buffer): Buffer {
  const first = bytes.findLastIndex((byte) => byte >= 0xc0);
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
}

/** Returns the number of bytes before the first invalid one. */
function goodBytes(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isGood(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isGood(bytes: Buffer): boolean {
  try {
    decoderOf().decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
