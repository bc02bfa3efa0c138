// Rejects a YAML file that a parser would need seconds for, or would misread, before it is parsed.

import { isUtf8 } from 'node:buffer';

/** More than any user's file needs; the parser takes a stack frame or more for each. */
const MAX_DEPTH = 200;
/** Lines and commas: for so many the parser makes nodes for about a second. */
const MAX_PIECES = 30_000;

/** The line and what is wrong there, or null. */
export function limitMistake(bytes: Buffer): { line: number; message: string } | null {
  let depth = 0;
  let line = 0;
  let pieces = 0;
  for (let from = 0; from < bytes.length; ) {
    line += 1;
    const end = bytes.indexOf(0x0a, from);
    const text = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (!isUtf8(text)) return { line, message: 'this is no UTF-8 text; save it as UTF-8' };
    depth = Math.max(0, depth + rise(text));
    pieces += 1 + commasOf(text);
    if (pieces > MAX_PIECES)
      return { line, message: `up to here are more than ${MAX_PIECES} lines and commas; make it shorter` };
    if (depth > MAX_DEPTH || markersOf(text) > MAX_DEPTH) return { line, message: TOO_DEEP };
    from = end === -1 ? bytes.length : end + 1;
  }
  return null;
}

export const TOO_DEEP = `it is nested too deeply, past ${MAX_DEPTH} levels`;

const OPENS = new Set(Buffer.from('[{'));
const CLOSES = new Set(Buffer.from(']}'));

/** How many more brackets the line opens than it closes, at its deepest point. */
function rise(text: Buffer): number {
  let depth = 0;
  let deepest = 0;
  for (const byte of text) {
    if (OPENS.has(byte)) depth += 1;
    else if (CLOSES.has(byte)) depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest > MAX_DEPTH ? deepest : depth;
}

function commasOf(text: Buffer): number {
  let count = 0;
  for (const byte of text) if (byte === COMMA) count += 1;
  return count;
}

const COMMA = 0x2c;

/** How many lists and maps a line begins one within the other: `- - - x`, `? ? x`. */
const markersOf = (text: Buffer): number =>
  (/^\s*((?:[-?:]\s+)*)/.exec(text.toString('latin1'))?.[1] ?? '').replace(/\s/g, '').length;
