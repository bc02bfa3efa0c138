// Checks that a JSON Schema allows a verdict, PASS or FAIL, and collects the names in a schema.

import { tried } from '../text/tried.ts';

/** What is wrong, and where in the schema: `at` is a path such as `['properties', 'verdict', 'enum']`. */
interface SchemaMistake {
  at: string[];
  message: string;
}

/** Returns null if an answer can give both PASS and FAIL. Constructs that are unknown here (a remote `$ref`) are allowed. */
export function verdictMistake(schema: object): SchemaMistake | null {
  const types = typesOf(schema);
  if (types !== null && !types.includes('object'))
    return { at: ['type'], message: `must be object, not ${types.join(' or ')}: ${EXPECTED}` };
  const found = propertiesNamed(schema, { schema, at: [] }, new Set());
  const [first] = found;
  if (first === undefined) return { at: [], message: `has no property "verdict": ${EXPECTED}` };
  const lacking = (['PASS', 'FAIL'] as const).filter(
    (word) =>
      !spellings(word).some(
        (text) => found.some((one) => allows(schema, one.schema, text)) && allowsVerdict(schema, schema, text),
      ),
  );
  return lacking.length === 0 ? null : { at: first.at, message: `allows no ${lacking.join(' and no ')}: ${EXPECTED}` };
}

const EXPECTED =
  'this stage gives a verdict, so expected an object with the property "verdict" that allows "PASS" and "FAIL"';

const spellings = (word: 'PASS' | 'FAIL'): string[] => [
  word,
  word.toLowerCase(),
  word[0] + word.slice(1).toLowerCase(),
];

interface Place {
  schema: unknown;
  at: string[];
}

const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns the schemas of the value's own property "verdict", not of nested values. */
function propertiesNamed(root: object, { schema, at }: Place, seen: Set<unknown>): Place[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const { $ref: ref, properties, patternProperties, required } = schema;
  const within = [
    ...COMBINED.flatMap((name) =>
      listOf(schema[name]).map((one, index) => ({ schema: one, at: [...at, name, String(index)] })),
    ),
    ...['then', 'else'].map((name) => ({ schema: schema[name], at: [...at, name] })),
  ].flatMap((place) => propertiesNamed(root, place, seen));
  const referred = typeof ref === 'string' ? resolved(root, ref) : null;
  if (referred === UNKNOWN) within.push({ schema: true, at: [...at, '$ref'] });
  else if (referred !== null) within.push(...propertiesNamed(root, { schema: referred, at: [...at, '$ref'] }, seen));
  if (isObject(properties) && Object.hasOwn(properties, 'verdict'))
    within.unshift({ schema: properties.verdict, at: [...at, 'properties', 'verdict'] });
  if (isObject(patternProperties))
    for (const [pattern, one] of Object.entries(patternProperties))
      if (matches(pattern, 'verdict')) within.push({ schema: one, at: [...at, 'patternProperties', pattern] });
  return within.length === 0 && listOf(required).includes('verdict') ? [{ schema: true, at }] : within;
}

/** Whether a schema accepts an object with this verdict. An unknown keyword accepts it. */
function allowsVerdict(root: object, schema: unknown, text: string, depth = 0): boolean {
  if (schema === false) return false;
  if (!isObject(schema) || depth > MAX_DEPTH) return true;
  const takes = (one: unknown): boolean => allowsVerdict(root, one, text, depth + 1);
  if (!allowsNames(root, schema, ['verdict', ...listOf(schema.required).map(String)])) return false;
  const { properties, patternProperties, not } = schema;
  const own = isObject(properties) && Object.hasOwn(properties, 'verdict') ? [properties.verdict] : [];
  const matching = isObject(patternProperties)
    ? Object.entries(patternProperties).flatMap(([pattern, one]) => (matches(pattern, 'verdict') ? [one] : []))
    : [];
  if (![...own, ...matching].every((one) => allows(root, one, text))) return false;
  // Every object that has a verdict matches the schema under `not`, so it is rejected.
  const refused = isObject(not) && Object.keys(not).join() === 'required' ? listOf(not.required) : [];
  if (refused.length > 0 && refused.every((name) => name === 'verdict')) return false;
  return combinedTakes(root, schema, takes);
}

/** Whether an object may have all of these properties at once. */
function allowsNames(root: object, schema: Record<string, unknown>, names: readonly string[]): boolean {
  const { properties, patternProperties, additionalProperties, propertyNames, maxProperties } = schema;
  if (typeof maxProperties === 'number' && new Set(names).size > maxProperties) return false;
  if (!names.every((name) => allows(root, propertyNames, name))) return false;
  const isNamed = (name: string) =>
    (isObject(properties) && Object.hasOwn(properties, name)) ||
    (isObject(patternProperties) && Object.keys(patternProperties).some((pattern) => matches(pattern, name)));
  return additionalProperties !== false || names.every(isNamed);
}

/** Whether a schema accepts this text. An unknown keyword accepts it. */
function allows(root: object, schema: unknown, text: string, depth = 0): boolean {
  if (schema === false) return false;
  if (!isObject(schema) || depth > MAX_DEPTH) return true;
  const takes = (one: unknown): boolean => allows(root, one, text, depth + 1);
  const types = typesOf(schema);
  if (types !== null && !types.includes('string')) return false;
  if (schema.const !== undefined && schema.const !== text) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(text)) return false;
  if (typeof schema.pattern === 'string' && !matches(schema.pattern, text)) return false;
  if (typeof schema.minLength === 'number' && text.length < schema.minLength) return false;
  if (typeof schema.maxLength === 'number' && text.length > schema.maxLength) return false;
  if (isObject(schema.not) && Object.keys(schema.not).length > 0 && takes(schema.not)) return false;
  return combinedTakes(root, schema, takes);
}

/** Whether the schemas that this one combines or refers to accept the same. */
function combinedTakes(root: object, schema: Record<string, unknown>, takes: (one: unknown) => boolean): boolean {
  if (!listOf(schema.allOf).every(takes)) return false;
  for (const name of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[name]) && !(schema[name] as unknown[]).some(takes)) return false;
  const referred = typeof schema.$ref === 'string' ? resolved(root, schema.$ref) : UNKNOWN;
  return referred === UNKNOWN || takes(referred);
}

const MAX_DEPTH = 50;

const UNKNOWN = Symbol('unknown');

/** Resolves a JSON pointer within the schema. */
function resolved(root: object, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return UNKNOWN;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return UNKNOWN;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const matches = (pattern: string, text: string): boolean => tried(() => new RegExp(pattern, 'u').test(text)) ?? true;

function typesOf(schema: object): string[] | null {
  const { type } = schema as { type?: unknown };
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The names include those of the answer's own properties. */
export function namesIn(schema: Record<string, unknown>): ReadonlySet<string> {
  const names = new Set<string>();
  const queue: unknown[] = [schema];
  while (queue.length > 0) {
    const value = queue.pop();
    if (value === null || typeof value !== 'object') continue;
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name);
      queue.push(inner);
    }
  }
  return names;
}
