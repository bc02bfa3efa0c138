// Describes what is wrong with one field of a user's file, where, and what was expected.

import type { Document, LineCounter } from 'yaml';
import type * as z from 'zod';
import { nearest } from '../../policies/text/nearest.ts';

interface YamlPlace {
  file: string;
  /** What the file is, such as `a manifest`. */
  what: string;
  schema: unknown;
  document: Document;
  lines: LineCounter;
}

/** One sentence each, such as `manifest.yaml:7: stages[0].tol is unknown; did you mean tool?`. */
export const describeIssue = (place: YamlPlace, issue: z.core.$ZodIssue): string =>
  meant(issue)
    .map((one) => describe(place, one))
    .join('\n');

/** If a field has alternatives, the mistakes of the intended one: of the right type, but wrong within. */
function meant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return [issue];
  const isOther = ([first]: z.core.$ZodIssue[]) => first?.code === 'invalid_type' && first.path.length === 0;
  const within = issue.errors.find((branch) => !isOther(branch));
  if (within !== undefined)
    return within.flatMap((inner) => meant({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue));
  const types = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []));
  return [{ ...issue, message: `must be ${types.join(' or ')}` }];
}

/** The most for one place. */
const MAX_UNKNOWN = 20;

function describe({ file, what, schema, document, lines }: YamlPlace, issue: z.core.$ZodIssue): string {
  const fields = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, MAX_UNKNOWN) : [null];
  return fields
    .map((key) => {
      const path = key === null ? issue.path : [...issue.path, key];
      const line = lineOf(path, document, lines);
      return `${file}:${line}: ${show(path) || what} ${key === null ? expectation(issue) : unknown(key, issue.path, schema)}`;
    })
    .join('\n');
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('received undefined')
        ? `is missing; expected ${issue.expected}`
        : issue.message
            .replace(/^Invalid input: /, '')
            .replace(/^expected/, 'must be')
            .replace(', received', ', not');
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      if (issue.origin === 'string') return `must have at most ${issue.maximum} characters`;
      return `must ${issue.origin === 'array' ? 'have' : 'be'} at most ${issue.maximum}`;
    case 'too_small':
      if (issue.origin !== 'number') return 'must not be empty';
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'invalid_key':
      return `is a name that cannot be used here: it ${issue.issues.map(expectation).join(', and ')}`;
    default:
      return issue.message;
  }
}

function unknown(key: string, parent: readonly PropertyKey[], schema: unknown): string {
  const known = fieldsAt(parent, schema);
  const near = nearest(key, known);
  return `is unknown; ${near === null ? `expected one of ${known.join(', ')}` : `did you mean ${near}?`}`;
}

/** The names that the schema has at a path, found by testing it with an unknown one. */
function fieldsAt(path: readonly PropertyKey[], schema: unknown): string[] {
  let at = schema;
  for (const step of path) {
    const { shape, element, valueType, def } = unwrap(at);
    at = typeof step === 'number' ? element : (shape?.[step as string] ?? valueType ?? def?.catchall);
  }
  return Object.keys(unwrap(at).shape ?? {});
}

/** Unwraps defaults, optionals and alternatives to the object or the list within. */
function unwrap(schema: unknown): Inside {
  let at = schema as Inside & { unwrap?: () => unknown; options?: unknown[] };
  const objects = at?.options?.filter((option) => typeof option === 'object' && unwrap(option).shape !== undefined);
  if (objects?.[0] !== undefined) return unwrap(objects[0]);
  while (
    at?.shape === undefined &&
    at?.element === undefined &&
    at?.valueType === undefined &&
    at?.unwrap !== undefined
  )
    at = at.unwrap() as typeof at;
  return at ?? {};
}

/** `valueType` is that of a record with arbitrary names, and `catchall` that of other names in an object. */
interface Inside {
  shape?: Record<string, unknown>;
  element?: unknown;
  valueType?: unknown;
  def?: { catchall?: unknown };
}

const show = (path: readonly PropertyKey[]): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`)).join('');

/** The line of a field in a YAML file, from 1; the line of the nearest field above it if the field is missing. */
export function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
