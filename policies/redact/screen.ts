// Says of bytes, before they are made a text, whether a secret can be among them: what holds none is copied as it is.

/** false: redacting them as whole lines would change nothing, if they are UTF-8. */
type Screen = (bytes: Buffer) => boolean;

/** @param prefixes how every secret begins that is looked for; each has three bytes at least */
export function createScreen(prefixes: readonly string[]): Screen {
  const begins = new Uint8Array(HEADS);
  const byHead = new Map<number, Buffer[]>();
  for (const prefix of prefixes) {
    const bytes = Buffer.from(prefix);
    const head = headAt(bytes, 2, pairAt(bytes));
    begins[head] = 1;
    byHead.set(head, [...(byHead.get(head) ?? []), bytes]);
  }
  const isOneAt = (bytes: Buffer, head: number, at: number) =>
    byHead.get(head)!.some((prefix) => prefix.every((byte, i) => bytes[at + i] === byte));
  return (bytes) => {
    if (mayHide(bytes)) return true;
    let head = pairAt(bytes);
    for (let at = 2; at < bytes.length; at += 1) {
      head = headAt(bytes, at, head);
      if (begins[head] !== 0 && isOneAt(bytes, head, at - 2)) return true;
    }
    return false;
  };
}

/** Codes of a terminal, escapes of JSON, or lines that may be events of which several hold one secret. */
const mayHide = (bytes: Buffer): boolean =>
  bytes.includes(ESCAPE) || bytes.includes(BACKSLASH) || bytes[0] === BRACE || bytes.includes('\n{');

const ESCAPE = 0x1b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** Three bytes as one number, in either case: five bits of each. */
const HEADS = 32 ** 3;
const headAt = (bytes: Uint8Array, at: number, before: number): number =>
  ((before << 5) | (bytes[at]! & 31)) & (HEADS - 1);
const pairAt = (bytes: Uint8Array): number => ((bytes[0]! & 31) << 5) | (bytes[1]! & 31);
