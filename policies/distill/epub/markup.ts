// Reads markup in pieces and reports tags and text. It builds no document, fetches nothing and expands no custom entity.

import { Parser } from 'htmlparser2';

interface MarkupReader {
  /** `name` is in lower case, without its namespace. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

export interface MarkupSink {
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

/**
 * Makes a reader; its `write` throws MarkupTooDeep.
 * @param form `xml` for plain XML, `page` for XHTML, which is read as tolerantly as a browser reads HTML.
 */
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
