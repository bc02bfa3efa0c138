// What a file is by how it begins: a PDF, an archive that may be an EPUB, a text, or something else, in words.

type HeadFound = { how: 'pdf' } | { how: 'archive' } | { how: 'text' } | { how: 'other'; what: string };

/** So much of a file is looked at; a PDF may have something before its header. */
export const HEAD_BYTES = 4096;

/** @param isWhole whether `head` is all of the file. */
export function kindOfHead(head: Uint8Array, isWhole: boolean): HeadFound {
  const latin = Buffer.from(head).toString('latin1');
  if (latin.slice(0, 1024).includes('%PDF-')) return { how: 'pdf' };
  if (/^PK(?:\x03\x04|\x05\x06)/.test(latin)) return { how: 'archive' };
  const other = OTHERS.find(([marks]) => marks.test(latin));
  if (other !== undefined) return { how: 'other', what: other[1] };
  return isText(head, isWhole) ? { how: 'text' } : { how: 'other', what: 'neither a PDF, an EPUB nor a text in UTF-8' };
}

/** What people take for a book, or save in the place of one. */
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
    // A sign may be cut at the end of what was read.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}

/** A text under the name of another kind is most often a page of an error that was saved. */
export const isNamedAsBook = (name: string): boolean => /\.(?:pdf|epub)$/i.test(name);
