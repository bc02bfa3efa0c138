// Reads what a command is given: a file, or standard input.

import { readFileSync } from 'node:fs';

export type Input = { how: 'read'; text: string } | { how: 'mistaken'; message: string };

/** `-` or no word is standard input. */
export function readInput(word: string | undefined): Input {
  const name = word === undefined || word === '-' ? 'standard input' : word;
  if (name === 'standard input' && process.stdin.isTTY)
    return { how: 'mistaken', message: 'name a file, or pipe the text in' };
  try {
    return { how: 'read', text: readFileSync(name === 'standard input' ? 0 : name, 'utf8') };
  } catch (error) {
    return { how: 'mistaken', message: `${name} cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** One line of JSONL each; `take` gives the answer to a line, or what is wrong with it. Order is kept. */
export function answerLines(
  text: string,
  take: (line: Record<string, unknown>) => unknown,
): { out: string; mistakes: string[] } {
  const mistakes: string[] = [];
  const out: string[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const answer = answerLine(line, take);
    if (typeof answer === 'string') mistakes.push(`line ${i + 1}: ${answer}`);
    out.push(JSON.stringify(typeof answer === 'string' ? { id: null, line: i + 1, error: answer } : answer));
  }
  return { out: out.length === 0 ? '' : `${out.join('\n')}\n`, mistakes };
}

function answerLine(line: string, take: (line: Record<string, unknown>) => unknown): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'this is no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'this is no JSON object';
  return take(value as Record<string, unknown>);
}
