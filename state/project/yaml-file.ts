// Reads a user's YAML or JSON file (the only module that uses yaml); errors name file, line, path, expectation and nearest name.

import { isUtf8 } from 'node:buffer';
import type { Document, visit as Visit } from 'yaml';
import type * as z from 'zod';
import { readFollowedBytes, UnfitFileError } from '../disk/regular-file.ts';
import { describeIssue, lineOf } from './yaml-issue.ts';

export type YamlRead<T> =
  /** `lineOf` returns the line of the field at a path, or of the nearest existing one above it. */
  | { how: 'read'; value: T; lineOf(path: readonly PropertyKey[]): number; has(path: readonly PropertyKey[]): boolean }
  /** Its content is not known. */
  | { how: 'invalid'; kind: 'unreadable'; message: string }
  /** Its content, `data`, is invalid. */
  | { how: 'invalid'; kind: 'unfit'; message: string; data: unknown; lineOf(path: readonly PropertyKey[]): number };

const yaml = () => import('yaml');

/** A value as text of such a file. */
export async function toYaml(value: object): Promise<string> {
  const { stringify } = await yaml();
  return stringify(value, { lineWidth: 0 });
}

/** More aliases than any manifest needs, and far fewer than a bomb has. */
const MAX_ALIASES = 50;
const MAX_BYTES = 1024 * 1024;
/** No user reads more of them at once. */
const MAX_ISSUES = 20;

/** Reads JSON too, because JSON is YAML. @param draft the text that the file would have; the file is not read then. */
export async function readYaml<S extends z.ZodType>(
  file: string,
  what: string,
  load: () => Promise<S>,
  draft: string | null = null,
): Promise<YamlRead<z.infer<S>>> {
  const bytes = draft === null ? bytesOf(file, what) : Buffer.from(draft);
  if (typeof bytes === 'string') return invalid(bytes);
  const limit = limitMistake(bytes);
  if (limit !== null) return invalid(`${file}:${limit.line}: ${limit.message}`);
  const text = bytes.toString('utf8');
  const { parseDocument, LineCounter, visit } = await yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
    // Each key would be compared with each other one.
    uniqueKeys: false,
  });
  const broken = new Map<number, string>();
  // The first mistake of a line often causes the next.
  const note = (at: number, message: string) => {
    const { line } = lines.linePos(at);
    if (!broken.has(line)) broken.set(line, `${file}:${line}: ${message}`);
  };
  for (const [i, { pos, message }] of [...document.errors, ...document.warnings].entries())
    if (i === 0 || !FOLLOWS.test(message)) note(pos[0], plain(message));
  // The names in a broken document are not reliable.
  if (broken.size === 0) for (const at of repeatedKeys(document, visit)) note(at, TWICE);
  if (broken.size > 0) return invalid(firstOf(file, [...broken.values()]));
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return invalid(`${file}:1: ${error instanceof RangeError ? TOO_DEEP : plain((error as Error).message)}`);
  }
  const schema = await load();
  const looked = schema.safeParse(data);
  if (looked.success)
    return {
      how: 'read',
      value: looked.data,
      lineOf: (path) => lineOf(path, document, lines),
      has: (path) => document.hasIn(path),
    };
  const place = { file, what, schema, document, lines };
  const { issues } = looked.error;
  const message = firstOf(
    file,
    issues.map((issue) => describeIssue(place, issue)),
  );
  return { how: 'invalid', kind: 'unfit', message, data, lineOf: (path) => lineOf(path, document, lines) };
}

function firstOf(file: string, mistakes: readonly string[]): string {
  const more = mistakes.length - MAX_ISSUES;
  return [
    ...mistakes.slice(0, MAX_ISSUES),
    ...(more > 0 ? [`${file}: and ${more} more ${more === 1 ? 'mistake' : 'mistakes'}`] : []),
  ].join('\n');
}

/** The bytes, or what is wrong with the file. */
function bytesOf(file: string, what: string): Buffer | string {
  try {
    return readFollowedBytes(file, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof UnfitFileError)) return `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`;
    const { code, why } = error;
    return `${file} ${code === 'EFBIG' ? why.replace(/; .*/, `; ${what} has at most ${MAX_BYTES}`) : `${why}; put it elsewhere, and ${what} in its place`}`;
  }
}

/** Messages that follow a mistake that ended the document. */
const FOLLOWS = /^Unexpected \S+ token in YAML stream/;

const TWICE = 'the same name is given twice in one place; keep one of them';

/** The places at which a map has a name for the second time. */
function repeatedKeys(document: Document, visit: typeof Visit): number[] {
  const places: number[] = [];
  visit(document, {
    Map(_, map) {
      const names = new Set<unknown>();
      for (const { key } of map.items) {
        const { value, range } = key as { value?: unknown; range?: [number, number, number] };
        if (value === undefined) continue;
        if (names.has(value)) places.push(range?.[0] ?? 0);
        names.add(value);
      }
    },
  });
  return places;
}

function plain(message: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP;
  if (message.startsWith('Excessive alias count')) return 'it says the same too often by aliases (*name); write it out';
  return message.split('\n')[0]!;
}

const invalid = (message: string) => ({ how: 'invalid', kind: 'unreadable', message }) as const;

/** More than any user's file needs; the parser takes a stack frame or more for each. */
const MAX_DEPTH = 200;

/** Lines and commas: for so many the parser makes nodes for about a second. */
const MAX_PIECES = 30_000;

/** Rejects a file that takes the parser seconds, or that it misreads. @returns the line and what is wrong, or null. */
function limitMistake(bytes: Buffer): { line: number; message: string } | null {
  let depth = 0;
  let line = 0;
  let pieces = 0;
  for (let from = 0; from < bytes.length; ) {
    line += 1;
    const end = bytes.indexOf(0x0a, from);
    const text = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (!isUtf8(text)) return { line, message: 'this is not UTF-8 text; save it as UTF-8' };
    depth = Math.max(0, depth + rise(text));
    pieces += 1 + commasOf(text);
    if (pieces > MAX_PIECES)
      return { line, message: `up to here are more than ${MAX_PIECES} lines and commas; make it shorter` };
    if (depth > MAX_DEPTH || markersOf(text) > MAX_DEPTH) return { line, message: TOO_DEEP };
    from = end === -1 ? bytes.length : end + 1;
  }
  return null;
}

const TOO_DEEP = `it is nested too deeply, past ${MAX_DEPTH} levels`;

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
