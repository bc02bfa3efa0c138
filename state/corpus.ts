// Reads a labelled corpus: a JSONL file, or a folder of them; reports each mistake by file, line and field.

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import type { LabelledCase } from '../policies/verdict/labelled-case.ts';
import { isPipe, isStdin, readFollowed } from './disk/regular-file.ts';
import { readLabelledLine } from './labelled-line.ts';
import { isSystemError } from './system-error.ts';

type CorpusRead = { how: 'read'; cases: LabelledCase[] } | { how: 'invalid'; message: string };

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_LINE_LENGTH = 4 * 1024 * 1024;
/** No user would read more. */
const MAX_MISTAKES = 20;

/**
 * @param corpus a file, or a folder: all files beneath it that end in `.jsonl`, in the order of their paths
 * @param project A case's `files` may be in it, or in the folder that contains the corpus's own folder.
 */
export function readCorpus(corpus: string, project: string): CorpusRead {
  const mistakes: string[] = [];
  const cases: LabelledCase[] = [];
  const lineOf = new Map<string, string>();
  try {
    const files = filesOf(corpus);
    if (files.length === 0) return invalid(`${corpus} holds no file that ends in .jsonl`);
    const home = statSync(corpus).isDirectory() ? corpus : path.dirname(corpus);
    const homes = [path.resolve(home, '..'), path.resolve(project)];
    for (const file of files)
      for (const { text, line } of linesOf(file, mistakes)) {
        const read = readLabelledLine(text, { file, line, homes });
        if (read.how === 'invalid') {
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
    return invalid(`${error.path ?? corpus} cannot be read (${error.code})`);
  }
  if (mistakes.length > 0) return invalid(shown(mistakes));
  return cases.length === 0 ? invalid(`${corpus} holds no case`) : { how: 'read', cases };
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
  // A user names it, so it may be a pipe. Files in a folder are selected by their kind.
  const piped = isPipe(file);
  if (!(kind.isFile() || piped) || kind.size > MAX_FILE_BYTES) {
    mistakes.push(
      kind.isFile()
        ? `${file} has ${kind.size} bytes, over ${MAX_FILE_BYTES}; make several files of it in one folder`
        : `${file} is not a regular file`,
    );
    return [];
  }
  const text = piped ? readPipe(file) : readFollowed(file, MAX_FILE_BYTES);
  if (text === null) {
    mistakes.push(`${file} gave over ${MAX_FILE_BYTES} bytes; make several files of it in one folder`);
    return [];
  }
  const lines = text
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

/** Reads to the end; null if it has no end within `MAX_FILE_BYTES`. */
function readPipe(file: string): string | null {
  const fd = isStdin(file) ? 0 : openSync(file, 'r');
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const read = readSync(fd, chunk);
      if (read === 0) return Buffer.concat(chunks).toString('utf8');
      length += read;
      if (length > MAX_FILE_BYTES) return null;
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}

const CHUNK = 256 * 1024;

const invalid = (message: string): CorpusRead => ({ how: 'invalid', message });

const shown = (mistakes: string[]): string =>
  mistakes.length <= MAX_MISTAKES
    ? mistakes.join('\n')
    : [...mistakes.slice(0, MAX_MISTAKES), `and ${mistakes.length - MAX_MISTAKES} more mistakes`].join('\n');
