// Writes the live document of a distillation, its sections so far, from the answers, and rewrites it whenever it differs.

import { closeSync, constants, fstatSync } from 'node:fs';
import path from 'node:path';
import { shownText } from '../../policies/distill/export/distilled-book.ts';
import { appendText } from '../append-line.ts';
import { makeFolder } from '../disk/folder.ts';
import { openRegular, readUnlessUnfit } from '../disk/regular-file.ts';
import { publishText, setAsideIfThere } from '../disk/replace-file.ts';

/** Without control codes, because users read it on a terminal. */
const documentText = (texts: readonly string[]): string =>
  texts.map((text) => `${shownText(text).trim()}\n\n`).join('');

/**
 * Writes the document only if it differs. Its present text may be the beginning of the new one, or what we wrote before.
 * Otherwise another program wrote it, and it is set aside.
 * @param before The texts that it held.
 * @returns its bytes.
 */
export function writeDocument(file: string, texts: readonly string[], before: readonly string[] = texts): number {
  const text = documentText(texts);
  const found = readUnlessUnfit(file, MAX_BYTES);
  if (found === text) return Buffer.byteLength(text);
  const isOurs = found !== null && (text.startsWith(found) || found === documentText(before));
  if (!isOurs) setAsideIfThere(file, () => new Date());
  publishText(file, text, 'set_aside');
  return Buffer.byteLength(text);
}

/** Whether it holds only these texts, in any order: then we wrote it. */
export function isMadeOf(file: string, texts: readonly string[]): boolean {
  const found = readUnlessUnfit(file, MAX_BYTES) ?? '';
  const pieces = texts.map((text) => documentText([text])).filter((piece) => piece !== '');
  let at = 0;
  while (at < found.length) {
    const piece = pieces.find((one) => found.startsWith(one, at));
    if (piece === undefined) return false;
    at += piece.length;
  }
  return at > 0;
}

/**
 * Appends one section.
 * @param bytes Its present length, by the answers.
 * @returns its new length, or null if another program has changed it.
 */
export function appendSection(file: string, bytes: number, text: string): number | null {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  makeFolder(path.dirname(file));
  const fd = openRegular(file, O_RDWR | O_APPEND | O_CREAT);
  try {
    if (fstatSync(fd).size !== bytes) return null;
    const piece = documentText([text]);
    appendText(fd, file, piece);
    return bytes + Buffer.byteLength(piece);
  } finally {
    closeSync(fd);
  }
}

const MAX_BYTES = 256 * 1024 * 1024;
