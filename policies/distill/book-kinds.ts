// Lists the kinds of books: what the service gets for each, its limits, their source, and when the source was checked.

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

/**
 * The maximum that is read of an EPUB. An archive of a few bytes may unpack to any size, and the longest books have 10 MiB of
 * text.
 */
export const EPUB_LIMITS = { entries: 20_000, entryBytes: 32 * MIB, totalBytes: 256 * MIB, textBytes: 64 * MIB };
