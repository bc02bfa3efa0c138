// Finds in the JSON Schema of manifests what can be written at a place of a text, and what a field means.

/** A part of a JSON Schema, as far as help needs it. */
export interface SchemaPart {
  description?: string;
  type?: string | readonly string[];
  properties?: Readonly<Record<string, SchemaPart>>;
  items?: SchemaPart;
  anyOf?: readonly SchemaPart[];
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  const?: unknown;
}

export interface Suggestion {
  label: string;
  about: string | null;
  insert: string;
}

interface WrittenPlace {
  /** The names around the place; `[]` for an item of a list. */
  path: readonly string[];
  /** The field whose value is being written; null where a field's name is. */
  key: string | null;
  /** The beginning of the word at the place. */
  typed: string;
  style: 'block' | 'flow';
}

const LINE = /^( *)((?:- +)*)(?:["']?([\w$-]+)["']?[ \t]*:(?= |$))?/;

/** The names around the column of the last line, by the indentation of the lines above. */
export function blockPath(lines: readonly string[], column: number): string[] {
  const path: string[] = [];
  // What contains the place begins further left: a field below the one column, an item of a list below the other.
  let [fieldBelow, itemBelow] = [column, column];
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const isLast = at === lines.length - 1;
    const line = lines[at]!;
    if (line.trim() === '' && !isLast) continue;
    const [, space = '', dashes = '', key] = LINE.exec(line)!;
    const keyAt = space.length + dashes.length;
    if (key !== undefined && !isLast && keyAt < fieldBelow) {
      path.unshift(key);
      fieldBelow = keyAt;
      itemBelow = keyAt;
    }
    if (dashes !== '' && space.length < itemBelow) {
      path.unshift('[]');
      // The list may be as far left as the field that holds it.
      fieldBelow = space.length + 1;
      itemBelow = space.length;
    }
    if (fieldBelow === 0) break;
  }
  return path;
}

/** What the schema says at a path: a part for each of its alternatives. */
export function fieldAt(schema: SchemaPart, path: readonly string[]): SchemaPart[] {
  let parts = branchesOf(schema);
  for (const name of path)
    parts = parts.flatMap(({ properties, items }) => {
      if (name === '[]') return items === undefined ? [] : branchesOf(items);
      return properties !== undefined && Object.hasOwn(properties, name) ? branchesOf(properties[name]!) : [];
    });
  return parts;
}

/** The description of a field counts for its alternatives too. */
const branchesOf = (part: SchemaPart): SchemaPart[] =>
  part.anyOf === undefined
    ? [part]
    : part.anyOf.flatMap((each) => branchesOf({ description: part.description ?? '', ...each }));

export function suggestions(
  schema: SchemaPart,
  values: Readonly<Record<string, readonly string[]>>,
  { path, key, style }: WrittenPlace,
): Suggestion[] {
  if (key === null)
    return fieldAt(schema, path).flatMap(({ properties = {} }) =>
      Object.entries(properties).map(([label, { description }]) => ({
        ...{ label, about: description ?? null },
        insert: style === 'block' ? `${label}: ` : label,
      })),
    );
  const further = Object.hasOwn(values, key) ? values[key]! : [];
  const known = fieldAt(schema, [...path, key]).flatMap(valuesOf);
  return [...new Set([...further, ...known])].map((label) => ({ label, about: null, insert: label }));
}

function valuesOf({ type, enum: among = [], examples = [], ...rest }: SchemaPart): string[] {
  const all = [...among, ...examples, ...('const' in rest ? [rest.const] : [])];
  return type === 'boolean' ? ['true', 'false'] : all.filter((each) => typeof each !== 'object').map(String);
}
