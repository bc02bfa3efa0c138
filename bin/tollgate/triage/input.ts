// Reads a command's input, completely or as it arrives: a file or standard input; answers JSONL line by line.

import { createReadStream, readFileSync } from 'node:fs';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { createLineSplitter, type LineSplitter } from '../../../wrappers/line-splitter.ts';
import { printing, printResult } from '../../printing.ts';
import type { Ran } from '../../ran.ts';

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

/** Reads a text of any length into lines, in constant memory. @returns what is wrong with it, or null. */
export async function readInto(lines: LineSplitter, word: string | undefined): Promise<string | null> {
  const mistake = await readText(word, (text) => {
    lines.push(text);
    return 'more';
  });
  if (mistake === null) lines.end();
  return mistake;
}

/** @param take receives the text piece by piece; after it returns `enough`, the rest is not read. */
async function readText(
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

/** Decodes bytes to text as they arrive: UTF-8, or UTF-16 if its mark comes first, as PowerShell writes it. */
export function createDecoder() {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let first: Buffer = Buffer.alloc(0);
  const begin = (): string => {
    const [a, b] = first;
    decoder = new TextDecoder(a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8');
    return decoder.decode(first, { stream: true });
  };
  return {
    /** Returns the text so far; bytes that cannot be decoded become U+FFFD. */
    write(bytes: Buffer): string {
      if (decoder !== null) return decoder.decode(bytes, { stream: true });
      first = Buffer.concat([first, bytes]);
      return first.length < LONGEST_MARK ? '' : begin();
    },
    /** Returns the rest. */
    end: (): string => (decoder === null ? begin() : '') + decoder!.decode(),
  };
}

const LONGEST_MARK = 2;

type Line = Record<string, unknown>;

/** A longer line is a mistake; the other lines are still answered. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * Writes one answer for each line, in order and before it reads the next lines. Stops when no process reads the answers.
 * @param command the name that begins each complaint on stderr.
 * @param take returns the answer to a line, or what is wrong with the line.
 */
export async function answerLines(
  command: string,
  word: string | undefined,
  take: (line: Line) => unknown,
): Promise<Ran> {
  const err = printing('stderr');
  let answers: string[] = [];
  let number = 0;
  let mistakes = 0;
  let lost: string | null = null;
  const lines = createLineSplitter(MAX_LINE, 'all', (line, dropped) => {
    number += 1;
    if (line.trim() === '') return;
    const answer = dropped > 0 ? `this is longer than ${MAX_LINE} characters` : answerTo(line, take);
    if (typeof answer === 'string') {
      mistakes += 1;
      err.write(`${command}: line ${number}: ${answer}\n`);
      answers.push(JSON.stringify({ id: null, line: number, error: answer }));
    } else answers.push(JSON.stringify(answer));
  });
  const flush = async () => {
    const ready = answers;
    answers = [];
    if (ready.length > 0 && lost === null) lost = await printResult(`${ready.join('\n')}\n`);
    return lost === null ? 'more' : 'enough';
  };
  const mistake = await readText(word, (text) => {
    lines.push(text);
    return flush();
  });
  if (mistake !== null) return { exit: TOLLGATE_EXIT.badInput, err: `${command}: ${mistake}\n` };
  // Without a reader the remaining lines are not read, and the last of them may be incomplete.
  if (lost === null) lines.end();
  await flush();
  return { exit: mistakes === 0 ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.badInput, lost };
}

function answerTo(line: string, take: (line: Line) => unknown): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'this is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'this is not a JSON object';
  return take(value as Line);
}
