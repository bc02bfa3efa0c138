// In which encoding a file of an EPUB is written, by how it begins: its mark, what its XML declaration says, or a `meta`; UTF-8 where it says nothing.

/** So much of a file is looked at. */
export const DECLARATION_BYTES = 1024;

/** A label as `TextDecoder` takes them, and perhaps one that it does not know. */
export function encodingOf(head: Uint8Array): string {
  const latin = Buffer.from(head.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const marked = MARKS.find(([begins]) => begins.test(latin));
  if (marked !== undefined) return marked[1];
  const declared = (XML.exec(latin) ?? META.exec(latin))?.[1] ?? 'utf-8';
  // Whoever reads that in single bytes does not read UTF-16.
  return /^(?:utf-?16|ucs-?2)/i.test(declared) ? 'utf-8' : declared;
}

const XML = /^\s*<\?xml[^>]{0,512}?\sencoding\s*=\s*["']([^"']{1,64})["']/;

/** `<meta charset="…">`, and `content="text/html; charset=…"`. */
const META = /<meta\s[^>]{0,256}?\bcharset\s*=\s*["']?([^"'\s/>;]{1,64})/i;

const MARKS: readonly (readonly [begins: RegExp, label: string])[] = [
  [/^\xef\xbb\xbf/, 'utf-8'],
  [/^\xff\xfe/, 'utf-16le'],
  [/^\xfe\xff/, 'utf-16be'],
  [/^<\x00[?!h]\x00/, 'utf-16le'],
  [/^\x00<\x00[?!h]/, 'utf-16be'],
];
