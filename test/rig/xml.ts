// Reads XML strictly, as far as the tests need it: elements, attributes, text and character references; all else throws.

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const TOKEN = /<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;

/** Returns the root. Throws if a document is not well-formed, or contains a character that XML 1.0 does not allow. */
export function readXml(document: string): XmlElement {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(head)) throw new Error('it does not begin as XML does');
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(document))
    throw new Error('a strange character');
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = head.length;
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(document);
    if (token === null) throw new Error(`not well-formed at ${at}: ${document.slice(at, at + 80)}`);
    const [, closing, name, attributes, empty, text] = token;
    if (text !== undefined) open.at(-1)!.text += unescaped(text);
    else if (closing === '/') {
      if (open.pop()!.name !== name) throw new Error(`</${name}> closes another element`);
    } else {
      const element: XmlElement = { name: name!, attributes: readAttributes(attributes!), children: [], text: '' };
      open.at(-1)!.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  const [only, another] = root.children;
  if (open.length !== 1 || only === undefined || another !== undefined) throw new Error('it is not one element');
  return only;
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescaped(value!)]));

const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const unescaped = (text: string): string =>
  text.replace(/&([^;]*;?)/g, (_, name: string) => {
    const sign = SIGNS[name.replace(/;$/, '')];
    if (sign === undefined || !name.endsWith(';')) throw new Error(`an unknown reference: &${name.slice(0, 20)}`);
    return sign;
  });
