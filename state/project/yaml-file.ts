// Reads a YAML or JSON file that people write (the only door to yaml); an error names file, line, path, what was expected and the nearest right name.

import { isDeepStrictEqual } from 'node:util';
import type { Document, visit as Visit } from 'yaml';
import type * as z from 'zod';
import { readFollowedBytes, UnfitFileError } from '../disk/regular-file.ts';
import { hasIn, lineInJson, repeatsName } from './json-line.ts';
import type { SoundFiles } from './sound-files.ts';
import { limitMistake, TOO_DEEP } from './yaml-limits.ts';
import { lineOf } from './yaml-line.ts';

export type YamlRead<T> =
  /** `lineOf` gives the line of the field at a path, or of the nearest one above it that is there. */
  | { how: 'read'; value: T; lineOf(path: readonly PropertyKey[]): number; has(path: readonly PropertyKey[]): boolean }
  /** `unreadable`: nothing is known of what it says. `unfit`: it says what cannot be. */
  | { how: 'invalid'; kind: 'unreadable' | 'unfit'; message: string };

/** More aliases than any manifest needs, and far fewer than a bomb has. */
const MAX_ALIASES = 50;
const MAX_BYTES = 1024 * 1024;
/** Nobody reads more of them at once. */
const MAX_ISSUES = 20;

/** What was found sound before, or is surely sound, needs no schema. */
interface Known<T> {
  files: SoundFiles;
  isPlain(data: object): boolean;
  /** What the schema makes of what it passes. */
  complete(data: object): T;
}

/** JSON is YAML, and is read without what reads that; only its mistakes are told by it. */
export async function readYaml<S extends z.ZodType>(
  file: string,
  what: string,
  load: () => Promise<S>,
  known: Known<z.infer<S>> | null = null,
): Promise<YamlRead<z.infer<S>>> {
  const bytes = bytesOf(file, what);
  if (typeof bytes === 'string') return invalid(bytes);
  const isSound = known?.files.has(bytes) ?? false;
  const limit = isSound ? null : limitMistake(bytes);
  if (limit !== null) return invalid(`${file}:${limit.line}: ${limit.message}`);
  const text = bytes.toString('utf8');
  const json = objectIn(text);
  const look = async (data: object) => {
    if (known !== null && (isSound || known.isPlain(data)))
      return { success: true, data: known.complete(data) } as const;
    const parsed = (await load()).safeParse(data);
    // Once it is read the short way, it must say the very same.
    if (parsed.success && known !== null && isDeepStrictEqual(known.complete(data), parsed.data))
      known.files.add(bytes);
    return parsed;
  };
  const passed = json === null ? null : await look(json);
  if (json !== null && passed?.success)
    return {
      how: 'read',
      value: passed.data,
      lineOf: (path) => lineInJson(text, path),
      has: (path) => hasIn(json, path),
    };
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
  const syntax = document.errors[0] ?? document.warnings[0];
  if (syntax !== undefined) return invalid(`${file}:${lines.linePos(syntax.pos[0]).line}: ${plain(syntax.message)}`);
  const repeated = repeatedKey(document, visit);
  if (repeated !== null)
    return invalid(
      `${file}:${lines.linePos(repeated).line}: the same name stands twice in one place; keep one of them`,
    );
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return invalid(`${file}:1: ${error instanceof RangeError ? TOO_DEEP : plain((error as Error).message)}`);
  }
  const looked = await look(data as object);
  if (looked.success)
    return {
      how: 'read',
      value: looked.data,
      lineOf: (path) => lineOf(path, document, lines),
      has: (path) => document.hasIn(path),
    };
  const { describeIssue } = await import('./yaml-issue.ts');
  const place = { file, what, schema: await load(), document, lines };
  const { issues } = looked.error;
  const told = issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(place, issue));
  const more = issues.length > MAX_ISSUES ? [`${file}: and ${issues.length - MAX_ISSUES} more mistakes`] : [];
  const message = [...told, ...more].join('\n');
  return { how: 'invalid', kind: 'unfit', message };
}

/** null for what is no object in JSON; of two of one name YAML says where they stand. */
function objectIn(text: string): object | null {
  if (!/^\s*\{/.test(text)) return null;
  try {
    const data = JSON.parse(text) as object;
    return repeatsName(text) ? null : data;
  } catch {
    return null;
  }
}

/** Or what is wrong with it. */
function bytesOf(file: string, what: string): Buffer | string {
  try {
    return readFollowedBytes(file, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof UnfitFileError)) return `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`;
    const { code, why } = error;
    return `${file} ${code === 'EFBIG' ? why.replace(/; .*/, `; ${what} has at most ${MAX_BYTES}`) : `${why}; put it elsewhere, and ${what} in its place`}`;
  }
}

/** Where a map has a name for the second time; null where none has. */
function repeatedKey(document: Document, visit: typeof Visit): number | null {
  let at: number | null = null;
  visit(document, {
    Map(_, map) {
      const names = new Set<unknown>();
      for (const { key } of map.items) {
        const { value, range } = key as { value?: unknown; range?: [number, number, number] };
        if (value === undefined) continue;
        if (names.has(value)) {
          at = range?.[0] ?? 0;
          return visit.BREAK;
        }
        names.add(value);
      }
      return undefined;
    },
  });
  return at;
}

function plain(message: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP;
  if (message.startsWith('Excessive alias count')) return 'it says the same too often by aliases (*name); write it out';
  return message.split('\n')[0]!;
}

const invalid = (message: string) => ({ how: 'invalid', kind: 'unreadable', message }) as const;
