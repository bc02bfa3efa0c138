// Reads a YAML or JSON file that people write (the only door to yaml); an error names file, line, path, what was expected and the nearest right name.

import { readFile, stat } from 'node:fs/promises';
import type { z } from 'zod';
import { lineOf } from './yaml-line.ts';

export type YamlRead<T> =
  /** `lineOf` gives the line of the field at a path. */
  | { how: 'read'; value: T; lineOf(path: readonly PropertyKey[]): number }
  /** `unreadable`: nothing is known of what it says. `unfit`: it says what cannot be. */
  | { how: 'mistaken'; kind: 'unreadable' | 'unfit'; message: string };

/** More aliases than any manifest needs, and far fewer than a bomb has. */
const MAX_ALIASES = 50;
const MAX_BYTES = 1024 * 1024;

export async function readYaml<S extends z.ZodType>(
  file: string,
  what: string,
  load: () => Promise<S>,
): Promise<YamlRead<z.infer<S>>> {
  const [schema, { parseDocument, LineCounter }] = await Promise.all([load(), import('yaml')]);
  const kind = await stat(file).catch(() => null);
  if (kind !== null && !kind.isFile()) return mistaken(`${file} is no regular file`);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => error);
  if (bytes instanceof Error) return mistaken(`${file} cannot be read (${bytes.code})`);
  if (bytes.length > MAX_BYTES) return mistaken(`${file} has ${bytes.length} bytes; ${what} has at most ${MAX_BYTES}`);
  const lines = new LineCounter();
  const document = parseDocument(bytes.toString('utf8'), {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
  });
  const syntax = document.errors[0] ?? document.warnings[0];
  if (syntax !== undefined)
    return mistaken(`${file}:${lines.linePos(syntax.pos[0]).line}: ${syntax.message.split('\n')[0]}`);
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return mistaken(`${file}: ${error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message}`);
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return { how: 'read', value: parsed.data, lineOf: (path) => lineOf(path, document, lines) };
  const { describeIssue } = await import('./yaml-issue.ts');
  const place = { file, what, schema, document, lines };
  const message = parsed.error.issues.map((issue) => describeIssue(place, issue)).join('\n');
  return { how: 'mistaken', kind: 'unfit', message };
}

const mistaken = (message: string) => ({ how: 'mistaken', kind: 'unreadable', message }) as const;
