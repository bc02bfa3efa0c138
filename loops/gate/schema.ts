// Whether an answer fits the schema of its stage (the door to ajv, which compiles code and is loaded only where there is a schema).

import type { Finding } from '../../policies/gate.ts';

export type Schema = Record<string, unknown>;

const MOST_MESSAGES = 10;
/** Of a longer answer only the first mistake is looked for: a list may hold one in each of its million entries. */
const MAX_FULL_LOOK = 64 * 1024;
const MAX_FOUND = 60;

/** Half a sentence that says what is wrong with the schema itself, or null. Nothing is paid before it is asked. */
export async function checkSchema(schema: Schema): Promise<string | null> {
  const compiled = await compile(schema, 'all');
  return compiled.how === 'compiled' ? null : compiled.message;
}

export interface Fit {
  finding: Finding | null;
  notes: string[];
}

/**
 * @param value what the answer is as JSON.
 * @param chars how long its text is.
 */
export async function checkFit(schema: Schema, value: unknown, chars: number): Promise<Fit> {
  const compiled = await compile(schema, chars > MAX_FULL_LOOK ? 'first' : 'all');
  if (compiled.how === 'mistaken') return { finding: mismatch(['the schema'], [compiled.message]), notes: [] };
  const notes = namesFormat(schema) ? ['formats in the schema are not checked'] : [];
  try {
    if (compiled.validate(value) === true) return { finding: null, notes };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { finding: mismatch(['less depth'], ['it is nested too deeply to be checked']), notes };
  }
  const errors = compiled.validate.errors ?? [];
  const messages = new Map(errors.map((error) => [`${placeOf(error)} (${error.keyword})`, messageOf(error)]));
  return { finding: mismatch([...messages.keys()], [...new Set(messages.values())]), notes };
}

/** Of ajv's errors what is told. */
interface Misfit {
  instancePath: string;
  keyword: string;
  params: Json;
  message?: string | undefined;
  schema?: unknown;
  data?: unknown;
}

interface Validate {
  (value: unknown): unknown;
  errors?: Misfit[] | null;
}

type Compiled = { how: 'compiled'; validate: Validate } | { how: 'mistaken'; message: string };

async function compile(schema: Schema, errors: 'all' | 'first'): Promise<Compiled> {
  const { $schema: draft = DRAFT_2020, ...rest } = schema;
  if (!KNOWN_DRAFT.test(String(draft)))
    return { how: 'mistaken', message: `$schema ${String(draft)} is not known; draft 2020-12, 07 and 06 are` };
  if (rest.$async !== undefined) return { how: 'mistaken', message: '$async is not known' };
  const kind = `${String(draft).includes('2020') ? '2020' : '07'} ${errors}` as const;
  const engine = engines.get(kind) ?? (await engineOf(kind));
  engines.set(kind, engine);
  try {
    return { how: 'compiled', validate: engine.compile(rest) };
  } catch (error) {
    engines.delete(kind);
    const message = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
    const [first] = message.replace(/^schema is invalid: data/, 'it is no JSON Schema: ').split(', data/');
    return { how: 'mistaken', message: first!.slice(0, 500) };
  } finally {
    // It would be remembered for ever.
    engine.removeSchema(rest);
  }
}

interface Engine {
  compile(schema: Schema): Validate;
  removeSchema(schema: Schema): unknown;
}

/** Kept, for each one compiles the schema of schemas first: 30 ms. */
const engines = new Map<string, Engine>();

/** Draft 06 is a part of 07. */
async function engineOf(kind: `${'2020' | '07'} ${'all' | 'first'}`): Promise<Engine> {
  const { default: Ajv } = kind.startsWith('07') ? await import('ajv') : await import('ajv/dist/2020.js');
  const allErrors = kind.endsWith('all');
  return new Ajv({ allErrors, verbose: true, strict: false, validateFormats: false, logger: false });
}

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const KNOWN_DRAFT = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft-0[67])\/schema#?$/;

/** Whether the word stands anywhere as a name in the schema. */
const namesFormat = (schema: Schema): boolean => /"format":"/.test(JSON.stringify(schema));

const mismatch = (missing: string[], messages: string[]): Finding => ({
  check: 'schema',
  class: 'contract_violation',
  reason: 'schema_mismatch',
  missing: missing.slice(0, MOST_MESSAGES),
  text: `the answer does not fit the schema: ${messages.slice(0, MOST_MESSAGES).join('; ')}${messages.length > MOST_MESSAGES ? `; and ${messages.length - MOST_MESSAGES} more` : ''}`,
  next_actions: [],
});

/** A JSON pointer; the whole value has the empty one, which is told as `/`. */
const placeOf = ({ instancePath }: Misfit): string => instancePath || '/';

function messageOf(error: Misfit): string {
  const expected = (EXPECTED[error.keyword] ?? otherwise)(error.params, error.schema, error);
  return `${placeOf(error)}: expected ${expected}`;
}

type Json = Record<string, unknown>;

const EXPECTED: Record<string, (params: Json, schema: unknown, error: Misfit) => string> = {
  type: ({ type }, _, { data }) => `${[type].flat().join(' or ')}, found ${shown(data)}`,
  required: ({ missingProperty }) => `the property "${String(missingProperty)}", found none`,
  additionalProperties: ({ additionalProperty }) => `no property "${String(additionalProperty)}", found one`,
  unevaluatedProperties: ({ unevaluatedProperty }) => `no property "${String(unevaluatedProperty)}", found one`,
  enum: (_, schema, { data }) => `one of ${shown(schema)}, found ${shown(data)}`,
  const: (_, schema, { data }) => `${shown(schema)}, found ${shown(data)}`,
};

/** ajv says `must be >= 1` and the like. */
const otherwise = (_: Json, __: unknown, { message, data }: Misfit): string =>
  `that it ${message ?? 'fits'}, found ${shown(data)}`;

function shown(value: unknown): string {
  const kind = Array.isArray(value)
    ? `a list of ${value.length}`
    : value !== null && typeof value === 'object'
      ? 'an object'
      : null;
  const text = kind === null || Array.isArray(value) ? JSON.stringify(value) : '';
  return kind !== null && (text === '' || text.length > MAX_FOUND)
    ? kind
    : text.length > MAX_FOUND
      ? `${text.slice(0, MAX_FOUND)}…`
      : text;
}
