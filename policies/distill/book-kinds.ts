// The kinds of books, what the service is sent of each, and its limits, with where they are written and when that was looked up.

export type BookKind = keyof typeof BOOK_KINDS;

interface BookKindRow {
  called: string;
  /** As which it is sent. */
  mimeType: 'application/pdf' | 'text/plain';
  maxBytes: number;
  maxPages: number | null;
  source: string;
  /** When that page said so. */
  seen: string;
}

const MIB = 1024 * 1024;

/**
 * Gemini documents PDF and text for documents, and everything else as "seen as text"; EPUB stands in none of its lists, so that
 * one is turned into text by us. The Files API takes 2 GB of any file, and a request refuses a PDF of more than 52 428 800 bytes all the same.
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

/** What is read of an EPUB at the most: an archive of a few bytes may unpack to any number of them, and the longest books have 10 MiB of text. */
export const EPUB_LIMITS = { entries: 20_000, entryBytes: 32 * MIB, totalBytes: 256 * MIB, textBytes: 64 * MIB };
