// Reads the metadata of an EPUB: the path of its package document, the chapters in order, the title, the encrypted files.

import { readMarkup } from './markup.ts';

/** Returns the path of the first package document in `META-INF/container.xml`; null if the file names none. */
export function packagePath(container: string): string | null {
  let found: string | null = null;
  each(container, (name, attributes) => {
    if (name === 'rootfile') found ??= attributes['full-path'] ?? null;
  });
  return found;
}

interface PackageDocument {
  title: string | null;
  /** Paths in the archive, in reading order, without parts that are not in the main text. */
  chapters: string[];
}

/** @param at the document's own path in the archive; its links are relative to that path. */
export function readPackage(document: string, at: string): PackageDocument {
  const hrefs = new Map<string, string>();
  const order: string[] = [];
  let title: string | null = null;
  let inTitle = false;
  each(
    document,
    (name, { id, href, idref, linear }) => {
      inTitle = name === 'title' && title === null;
      if (name === 'item' && id !== undefined && href !== undefined) hrefs.set(id, href);
      if (name === 'itemref' && idref !== undefined && linear !== 'no') order.push(idref);
    },
    (text) => {
      if (inTitle) title = `${title ?? ''}${text}`;
    },
    () => {
      inTitle = false;
    },
  );
  const chapters = order.flatMap((id) => within(at, hrefs.get(id)) ?? []);
  return { title: (title as string | null)?.replace(/\s+/g, ' ').trim() || null, chapters };
}

/** Returns the files that are really encrypted. Many freely readable books contain obfuscated fonts, which do not count. */
export function encryptedPaths(encryption: string): string[] {
  const found: string[] = [];
  let algorithm = '';
  each(encryption, (name, attributes) => {
    if (name === 'encrypteddata') algorithm = '';
    if (name === 'encryptionmethod' && algorithm === '') algorithm = attributes.Algorithm ?? '';
    const { URI } = attributes;
    if (name === 'cipherreference' && URI !== undefined && !OBFUSCATIONS.has(algorithm)) found.push(decoded(URI));
  });
  return found;
}

const OBFUSCATIONS: ReadonlySet<string> = new Set([
  'http://www.idpf.org/2008/embedding',
  'http://ns.adobe.com/pdf/enc#RC',
]);

/** Returns a path below the archive's root; null if the path would leave it or is outside the archive. */
function within(at: string, href: string | undefined): string | null {
  if (href === undefined || /^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  const parts = href.startsWith('/') ? [] : at.split('/').slice(0, -1);
  for (const part of decoded(href.split(/[#?]/)[0]!).split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('/');
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function each(
  xml: string,
  open: (name: string, attributes: Readonly<Record<string, string>>) => void,
  text: (text: string) => void = () => {},
  close: () => void = () => {},
): void {
  const sink = readMarkup('xml', { open, close, text });
  sink.write(xml);
  sink.end();
}
