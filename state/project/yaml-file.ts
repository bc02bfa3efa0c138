// Reads a user's YAML or JSON file (the only module that uses yaml); errors name file, line, path, expectation and nearest name.

import type { Document, visit as Visit } from 'yaml';
import type * as z from 'zod';
import { readFollowedBytes, UnfitFileError } from '../disk/regular-file.ts';
import { describeIssue } from './yaml-issue.ts';
import { limitMistake, TOO_DEEP } from './yaml-limits.ts';
import { lineOf } from './yaml-line.ts';

export type YamlRead<T> =
  /** `lineOf` returns the line of the field at a path, or of the nearest existing one above it. */
  | { how: 'read'; value: T; lineOf(path: readonly PropertyKey[]): number; has(path: readonly PropertyKey[]): boolean }
  /** Its content is not known. */
  | { how: 'invalid'; kind: 'unreadable'; message: string }
  /** Its content, `data`, is invalid. */
  | { how: 'invalid'; kind: 'unfit'; message: string; data: unknown; lineOf(path: readonly PropertyKey[]): number };

/** More aliases than any manifest needs, and far fewer than a bomb has. */
const MAX_ALIASES = 50;
const MAX_BYTES = 1024 * 1024;
/** No user reads more of them at once. */
const MAX_ISSUES = 20;

/** Reads JSON too, because JSON is YAML. */
export async function readYaml<S extends z.ZodType>(
  file: string,
  what: string,
  load: () => Promise<S>,
): Promise<YamlRead<z.infer<S>>> {
  const bytes = bytesOf(file, what);
  if (typeof bytes === 'string') return invalid(bytes);
  const limit = limitMistake(bytes);
  if (limit !== null) return invalid(`${file}:${limit.line}: ${limit.message}`);
  const text = bytes.toString('utf8');
  const { parseDocument, LineCounter, visit } = await import('yaml');
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
