// Answers JSONL line by line, as it arrives.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { createLineSplitter } from '../../wrappers/line-splitter.ts';
import { printing, printResult } from '../printing.ts';
import type { Ran } from '../ran.ts';
import { readText } from './triage/input.ts';

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
  maxLine = MAX_LINE,
): Promise<Ran> {
  const err = printing('stderr');
  let answers: string[] = [];
  let number = 0;
  let mistakes = 0;
  let lost: string | null = null;
  const lines = createLineSplitter(maxLine, 'all', (line, dropped) => {
    number += 1;
    if (line.trim() === '') return;
    const answer = dropped > 0 ? `this is longer than ${maxLine} characters` : answerTo(line, take);
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
    return 'this is no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'this is no JSON object';
  return take(value as Line);
}
