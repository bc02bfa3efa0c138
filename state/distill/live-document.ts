// The live document of a distillation: its sections so far, for people who read along. It is made from the answers, and made again whenever it differs.

import { closeSync, constants, fstatSync } from 'node:fs';
import path from 'node:path';
import { shownText } from '../../policies/distill/export/shown-text.ts';
import { appendText } from '../append-line.ts';
import { makeFolder } from '../disk/folder.ts';
import { openRegular, readUnlessUnfit } from '../disk/regular-file.ts';
import { publishText } from '../disk/replace-file.ts';
import { setAsideIfThere } from '../disk/set-aside.ts';

/** Without the codes that a terminal obeys, for people read it there. */
const documentText = (texts: readonly string[]): string =>
  texts.map((text) => `${shownText(text).trim()}\n\n`).join('');

/**
 * Written anew only where it is not that already. What stands there and is not the beginning of it, nor what we wrote before, is
 * somebody's: it is set aside. @param before the texts that it held; @returns its bytes.
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

/** Whether it holds nothing but these texts, in whatever order: then we wrote it. */
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

/** One section more. @param bytes how long it is, by the answers; @returns how long it is then, or null where somebody has changed it. */
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
