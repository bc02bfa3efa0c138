// Detects by its first bytes what a file is: a PDF, an archive that may be an EPUB, a text, or something else, named.

type HeadFound = { how: 'pdf' } | { how: 'archive' } | { how: 'text' } | { how: 'other'; what: string };

/** The number of bytes that are examined. A PDF may have other bytes before its header. */
export const HEAD_BYTES = 4096;

/** @param isWhole whether `head` is the whole file. */
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
