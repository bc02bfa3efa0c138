// Converts text files in UTF-16, as PowerShell writes them, to the UTF-8 that we read and send.

/**
 * The bytes of a text in UTF-8. UTF-16 with its byte order mark is converted, the mark of UTF-8 is removed, and all else is
 * unchanged.
 */
export function toUtf8(bytes: Buffer): Buffer {
  if (startsWith(bytes, UTF8_MARK)) return bytes.subarray(UTF8_MARK.length);
  const text = utf16In(bytes);
  return text === null ? bytes : Buffer.from(text, 'utf8');
}

/** The text of a file, in UTF-8 or in UTF-16 with its mark. */
export const textOfBytes = (bytes: Buffer): string => utf16In(bytes) ?? bytes.toString('utf8');

function utf16In(bytes: Buffer): string | null {
  // If all four bytes match, they are the mark of UTF-32.
  if (startsWith(bytes, LITTLE_MARK) && !startsWith(bytes, UTF32_MARK)) return bytes.toString('utf16le', 2);
  if (!startsWith(bytes, BIG_MARK)) return null;
  const whole = bytes.length & ~1;
  return Buffer.from(bytes.subarray(2, whole)).swap16().toString('utf16le');
}

const UTF8_MARK = [0xef, 0xbb, 0xbf];
const LITTLE_MARK = [0xff, 0xfe];
const UTF32_MARK = [0xff, 0xfe, 0, 0];
const BIG_MARK = [0xfe, 0xff];

const startsWith = (bytes: Buffer, mark: readonly number[]): boolean => mark.every((byte, i) => bytes[i] === byte);
