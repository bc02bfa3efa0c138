// Collects the words and placeholders of a normal form.

export interface NormalText {
  length(): number;
  /** The word at these offsets of the source. */
  keep(from: number, to: number): void;
  /** A placeholder; next to its like it is left out, so that a list counts as one. A code stands for itself. */
  put(placeholder: string): void;
  end(): string;
}

const SPACE = 32;
/** Written character by character into one buffer: half a million small strings would cost more than all the rest. */
const FIRST_SIZE = 1024;

export function createNormalText(source: string): NormalText {
  let codes = new Uint16Array(FIRST_SIZE);
  let size = 0;
  let last = '';
  let isAscii = true;

  const makeRoom = (more: number) => {
    if (size + more < codes.length) return;
    const larger = new Uint16Array(2 * (size + more));
    larger.set(codes.subarray(0, size));
    codes = larger;
  };
  const write = (text: string, from: number, to: number) => {
    makeRoom(to - from + 1);
    if (size > 0) codes[size++] = SPACE;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 127) isAscii = false;
      codes[size++] = code > 64 && code < 91 ? code + 32 : code;
    }
  };
  return {
    length: () => size,
    keep(from, to) {
      write(source, from, to);
      last = '';
    },
    put(placeholder) {
      if (placeholder !== last || placeholder.startsWith('<code')) write(placeholder, 0, placeholder.length);
      last = placeholder;
    },
    end() {
      const text = Buffer.from(codes.buffer, 0, size * 2).toString('utf16le');
      return isAscii ? text : text.toLowerCase();
    },
  };
}
