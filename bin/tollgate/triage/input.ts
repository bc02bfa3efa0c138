// Reads a command's input: a file, or standard input, completely or as it arrives.

import { createReadStream, readFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { LineSplitter } from '../../../wrappers/line-splitter.ts';

type Input = { how: 'read'; text: string } | { how: 'invalid'; message: string };

/** Reads a short text; `-` or no word means standard input. */
export function readInput(word: string | undefined): Input {
  const name = nameOf(word);
  if (isTerminal(name)) return { how: 'invalid', message: NOTHING };
  try {
    return { how: 'read', text: readFileSync(name === STDIN ? 0 : name, 'utf8') };
  } catch (error) {
    return { how: 'invalid', message: unreadable(name, error) };
  }
}

/**
 * Reads a text of any length into lines, in constant memory.
 * @returns what is wrong with it, or null.
 */
export async function readInto(lines: LineSplitter, word: string | undefined): Promise<string | null> {
  const mistake = await readText(word, (text) => {
    lines.push(text);
    return 'more';
  });
  if (mistake === null) lines.end();
  return mistake;
}

/** @param take receives the text piece by piece; after it returns `enough`, the rest is not read. */
export async function readText(
  word: string | undefined,
  take: (text: string) => 'more' | Promise<'more' | 'enough'>,
): Promise<string | null> {
  const name = nameOf(word);
  if (isTerminal(name)) return NOTHING;
  const decoder = createDecoder();
  try {
    for await (const bytes of name === STDIN ? process.stdin : createReadStream(name))
      if ((await take(decoder.write(bytes as Buffer))) === 'enough') return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return unreadable(name, error);
  }
  await take(decoder.end());
  return null;
}

const STDIN = 'standard input';
const NOTHING = 'name a file, or pipe the text in';
const nameOf = (word: string | undefined): string => (word === undefined || word === '-' ? STDIN : word);
const isTerminal = (name: string): boolean => name === STDIN && process.stdin.isTTY;
const unreadable = (name: string, error: unknown): string =>
  `${name} cannot be read (${(error as NodeJS.ErrnoException).code})`;

interface Decoder {
  /** Returns the text so far; bytes that cannot be decoded become U+FFFD. */
  write(bytes: Buffer): string;
  /** Returns the rest. */
  end(): string;
}

/** Decodes bytes to text as they arrive: UTF-8, or UTF-16 if its mark comes first, as PowerShell writes it. */
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
