// Provides a text as numbers, which takes a third of the time of the string's methods. White space follows the end.

/** No reader looks further past the end than this. */
const PAST_END = 64;
/** Up to this length, copying one by one is faster. */
const SHORT = 16;

/**
 * Reads the UTF-16 code units of a text. If the text is not longer than `room`, they are valid until the next text is read.
 * @returns a reader with its own buffer.
 */
export function createCodeReader(room: number): (text: string) => Uint16Array {
  const bytes = Buffer.alloc(2 * (room + PAST_END));
  const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, room + PAST_END);
  let held: string | null = null;
  return (text) => {
    const { length } = text;
    if (length > room) return codesOfLong(text);
    if (text !== held) {
      if (length < SHORT) for (let i = 0; i < length; i += 1) codes[i] = text.charCodeAt(i);
      else bytes.write(text, 'utf16le');
      codes.fill(0, length, length + PAST_END);
      held = text;
    }
    return codes;
  };
}

function codesOfLong(text: string): Uint16Array {
  const { length } = text;
  const bytes = Buffer.allocUnsafeSlow(2 * (length + PAST_END));
  bytes.write(text, 'utf16le');
  return new Uint16Array(bytes.buffer, 0, length + PAST_END).fill(0, length);
}

/** For one line, or one token. */
export const codesOf = createCodeReader(4096);
