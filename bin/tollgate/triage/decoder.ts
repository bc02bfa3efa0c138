// Decodes bytes to text as they arrive: UTF-8, or UTF-16 if its mark comes first, as PowerShell writes it.

import { StringDecoder } from 'node:string_decoder';

interface Decoder {
  /** Returns the text so far; bytes that cannot be decoded become U+FFFD. */
  write(bytes: Buffer): string;
  /** Returns the rest. */
  end(): string;
}

export function createDecoder(): Decoder {
  let decoder: Decoder | null = null;
  let first: Buffer = Buffer.alloc(0);
  const begin = (): string => {
    const mark = MARKS.find(({ bytes }) => bytes.every((byte, i) => first[i] === byte)) ?? UTF8;
    decoder = mark.decoder();
    return decoder.write(first.subarray(mark.bytes.length));
  };
  return {
    write(bytes) {
      if (decoder !== null) return decoder.write(bytes);
      first = Buffer.concat([first, bytes]);
      return first.length < LONGEST_MARK ? '' : begin();
    },
    end: () => (decoder === null ? begin() : '') + decoder!.end(),
  };
}

const LONGEST_MARK = 3;
const UTF8 = { bytes: [], decoder: () => new StringDecoder('utf8') };
const MARKS: readonly { bytes: readonly number[]; decoder: () => Decoder }[] = [
  { bytes: [0xef, 0xbb, 0xbf], decoder: UTF8.decoder },
  { bytes: [0xff, 0xfe], decoder: () => new StringDecoder('utf16le') },
  { bytes: [0xfe, 0xff], decoder: swapped },
];

/** Decodes units whose bytes are swapped. */
function swapped(): Decoder {
  const decoder = new StringDecoder('utf16le');
  let odd: Buffer = Buffer.alloc(0);
  return {
    write(bytes) {
      const all = Buffer.concat([odd, bytes]);
      const whole = all.length & ~1;
      odd = all.subarray(whole);
      return decoder.write(all.subarray(0, whole).swap16());
    },
    end: () => decoder.end(),
  };
}
