// Reads a labelled corpus: a JSONL file, or a folder of them; whatever is wrong with it is said by file, line and field.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { LabelledCase } from '../policies/labelled-case.ts';
import { readLabelledLine } from './labelled-line.ts';
import { isSystemError } from './system-error.ts';

export type CorpusRead = { how: 'read'; cases: LabelledCase[] } | { how: 'mistaken'; message: string };

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_LINE_LENGTH = 4 * 1024 * 1024;
/** More would not be read by anybody. */
const MAX_MISTAKES = 20;

/**
 * @param corpus a file, or a folder: all files beneath it that end in `.jsonl`, in the order of their paths
 * @param project what a case's `files` may lie in, under the folder that the corpus' own folder stands in
 */
export function readCorpus(corpus: string, project: string): CorpusRead {
  const mistakes: string[] = [];
  const cases: LabelledCase[] = [];
  const lineOf = new Map<string, string>();
  try {
    const files = filesOf(corpus);
    if (files.length === 0) return mistaken(`${corpus} holds no file that ends in .jsonl`);
    const home = statSync(corpus).isDirectory() ? corpus : path.dirname(corpus);
    const homes = [path.resolve(home, '..'), path.resolve(project)];
    for (const file of files)
      for (const { text, line } of linesOf(file, mistakes)) {
        const read = readLabelledLine(text, { file, line, homes });
        if (read.how === 'mistaken') {
          mistakes.push(...read.mistakes.map((mistake) => `${file}:${line}: ${mistake}`));
          continue;
        }
        const { id } = read.labelled;
        const first = lineOf.get(id);
        if (first !== undefined)
          mistakes.push(`${file}:${line}: id "${id}" is the one of ${first}; each case has an id of its own`);
        else lineOf.set(id, `${file}:${line}`);
        cases.push(read.labelled);
      }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return mistaken(`${error.path ?? corpus} cannot be read (${error.code})`);
  }
  if (mistakes.length > 0) return mistaken(shown(mistakes));
  return cases.length === 0 ? mistaken(`${corpus} holds no case`) : { how: 'read', cases };
}

function filesOf(corpus: string): string[] {
  if (!statSync(corpus).isDirectory()) return [corpus];
  return readdirSync(corpus, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function linesOf(file: string, mistakes: string[]): { text: string; line: number }[] {
  const kind = statSync(file);
  if (!kind.isFile() || kind.size > MAX_FILE_BYTES) {
    mistakes.push(
      kind.isFile()
        ? `${file} has ${kind.size} bytes, over ${MAX_FILE_BYTES}; make several files of it in one folder`
        : `${file} is no regular file`,
    );
    return [];
  }
  const lines = readFileSync(file, 'utf8')
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((text, i) => ({ text, line: i + 1 }));
  return lines.filter(({ text, line }) => {
    if (text.length > MAX_LINE_LENGTH)
      mistakes.push(
        `${file}:${line}: has ${text.length} characters, over ${MAX_LINE_LENGTH}; put its texts into a folder, and name it in files`,
      );
    return text.length <= MAX_LINE_LENGTH && text.trim() !== '';
  });
}

const mistaken = (message: string): CorpusRead => ({ how: 'mistaken', message });

const shown = (mistakes: string[]): string =>
  mistakes.length <= MAX_MISTAKES
    ? mistakes.join('\n')
    : [...mistakes.slice(0, MAX_MISTAKES), `and ${mistakes.length - MAX_MISTAKES} more mistakes`].join('\n');
