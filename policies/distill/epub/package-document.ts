// What an EPUB says of itself: where its package document is, the chapters in reading order, its title, and what of it is encrypted.

import { readMarkup } from './markup.ts';

/** The path of the first package document in `META-INF/container.xml`; null where it names none. */
export function packagePath(container: string): string | null {
  let found: string | null = null;
  each(container, (name, attributes) => {
    if (name === 'rootfile') found ??= attributes['full-path'] ?? null;
  });
  return found;
}

interface PackageDocument {
  title: string | null;
  /** Paths in the archive, in reading order; what is not part of the main text is left out. */
  chapters: string[];
}

/** @param at its own path in the archive, to which its links are relative. */
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

/** What is encrypted in earnest: fonts are obfuscated in many a book that everybody may read. */
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

/** A path below the archive's root; null for one that would leave it, and for what lies elsewhere. */
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
