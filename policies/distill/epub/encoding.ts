// Detects the encoding of a file in an EPUB by its byte order mark, XML declaration or `meta`; the default is UTF-8.

/** The number of bytes that are examined. */
export const DECLARATION_BYTES = 1024;

/** Returns a label for `TextDecoder`, which may not know it. */
export function encodingOf(head: Uint8Array): string {
  const latin = Buffer.from(head.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const marked = MARKS.find(([begins]) => begins.test(latin));
  if (marked !== undefined) return marked[1];
  const declared = (XML.exec(latin) ?? META.exec(latin))?.[1] ?? 'utf-8';
  // A file whose declaration is readable as single bytes is not UTF-16.
  return /^(?:utf-?16|ucs-?2)/i.test(declared) ? 'utf-8' : declared;
}

const XML = /^\s*<\?xml[^>]{0,512}?\sencoding\s*=\s*["']([^"']{1,64})["']/;

/** Matches `<meta charset="…">` and `content="text/html; charset=…"`. */
const META = /<meta\s[^>]{0,256}?\bcharset\s*=\s*["']?([^"'\s/>;]{1,64})/i;

const MARKS: readonly (readonly [begins: RegExp, label: string])[] = [
  [/^\xef\xbb\xbf/, 'utf-8'],
  [/^\xff\xfe/, 'utf-16le'],
  [/^\xfe\xff/, 'utf-16be'],
  [/^<\x00[?!h]\x00/, 'utf-16le'],
  [/^\x00<\x00[?!h]/, 'utf-16be'],
];
