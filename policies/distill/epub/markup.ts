// Markup, read piece by piece: tags and text as they come. No document is built, nothing is fetched, and no entity of its own is expanded.

import { Parser } from 'htmlparser2';

interface MarkupReader {
  /** `name` in small letters and without its namespace. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

export interface MarkupSink {
  write(piece: string): void;
  end(): void;
}

/** The parser searches what is open at each tag that ends, and moves it at each that begins. */
const MAX_OPEN = 1000;

export class MarkupTooDeep extends Error {
  constructor() {
    super(`more than ${MAX_OPEN} deep`);
  }
}

/** Its `write` throws MarkupTooDeep. @param form `xml` for what has no tags of its own, `page` for XHTML, which is read as forgivingly as a browser reads HTML. */
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
    // `<title/>` stands in many a chapter, and as HTML would make the rest of it the title.
    { xmlMode: form === 'xml', recognizeSelfClosing: true, recognizeCDATA: true, lowerCaseTags: true },
  );
  return { write: (piece) => parser.write(piece), end: () => parser.end() };
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
