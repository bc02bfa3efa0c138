// Collects the words and placeholders of a normal form, code by code: half a million small strings would cost more.

export interface NormalText {
  codes: Uint16Array;
  /** How many characters there are so far. */
  size: number;
  last: string;
  isAscii: boolean;
}

const SPACE = 32;
/** Most normal forms fit in here; it is used again and again, since making it takes longer than filling it. */
const ROOM = new Uint16Array(4096);
const ROOM_BYTES = Buffer.from(ROOM.buffer);

/** @param expected about how many characters it will have. */
export function openNormalText(expected: number): NormalText {
  const codes = expected < ROOM.length ? ROOM : new Uint16Array(Buffer.allocUnsafeSlow(2 * expected).buffer);
  return { codes, size: 0, last: '', isAscii: true };
}

/** Adds the word at these offsets of the source. */
export function keepWord(normal: NormalText, source: Uint16Array, from: number, to: number): void {
  const codes = makeRoom(normal, to - from);
  let { size } = normal;
  let seen = 0;
  for (let at = from; at < to; at += 1) {
    const code = source[at]!;
    seen |= code;
    codes[size++] = code > 64 && code < 91 ? code + 32 : code;
  }
  if (seen > 127) normal.isAscii = false;
  normal.size = size;
  normal.last = '';
}

/** Adds a placeholder; next to its like it is left out, so that a list counts as one. A code stands for itself. */
export function putPlaceholder(normal: NormalText, placeholder: string): boolean {
  if (placeholder === normal.last && !placeholder.startsWith('<code')) return false;
  const codes = makeRoom(normal, placeholder.length);
  for (let at = 0; at < placeholder.length; at += 1) codes[normal.size++] = placeholder.charCodeAt(at);
  normal.last = placeholder;
  return true;
}

export function textOf({ codes, size, isAscii }: NormalText): string {
  const bytes = codes === ROOM ? ROOM_BYTES : Buffer.from(codes.buffer);
  const text = bytes.toString('utf16le', 0, 2 * size);
  return isAscii ? text : text.toLowerCase();
}

/** Makes room for so many more behind a space. */
function makeRoom(normal: NormalText, more: number): Uint16Array {
  const needed = normal.size + more + 1;
  if (needed > normal.codes.length) {
    const larger = new Uint16Array(2 * needed);
    larger.set(normal.codes.subarray(0, normal.size));
    normal.codes = larger;
  }
  if (normal.size > 0) normal.codes[normal.size++] = SPACE;
  return normal.codes;
}
