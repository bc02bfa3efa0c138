// Reads markup in pieces: its encoding, tags and text. It builds no document and expands no custom entity.

import { Parser } from 'htmlparser2';

interface MarkupReader {
  /** `name` is in lower case, without its namespace. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

interface MarkupSink {
  write(piece: string): void;
  end(): void;
}

/** The parser searches the list of open tags at each end tag, and moves the list at each start tag. */
const MAX_OPEN = 1000;

export class MarkupTooDeep extends Error {
  constructor() {
    super(`more than ${MAX_OPEN} deep`);
  }
}

/** A reader; `write` throws MarkupTooDeep. @param form `xml`; or `page`: XHTML, as tolerant as a browser. */
export function readMarkup(form: 'xml' | 'page', reader: MarkupReader): MarkupSink {
  let open = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        open += 1;
        if (open > MAX_OPEN) throw new MarkupTooDeep();
        reader.open(local(name), attributes);
      },
      onclosetag(name) {
        open -= 1;
        reader.close(local(name));
      },
      ontext: (text) => reader.text(text),
    },
    // Many chapters contain `<title/>`. Read as HTML, it would make the rest of the chapter the title.
    { xmlMode: form === 'xml', recognizeSelfClosing: true, recognizeCDATA: true, lowerCaseTags: true },
  );
  return { write: (piece) => parser.write(piece), end: () => parser.end() };
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

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
