// Finds what in an answer does not fit the schema of its stage, with ajv, which is loaded only if a schema exists.

export type Schema = Record<string, unknown>;

/** In a longer answer, only the first mistake is reported: a list may have one in each of its million entries. */
const MAX_FULL_LOOK = 64 * 1024;
/** For a longer list, only the length is reported. */
const MAX_LIST = 60;

/** Loads ajv only when it is called. @returns what is wrong with the schema itself, as half a sentence, or null. */
export async function checkSchema(schema: Schema): Promise<string | null> {
  const compiled = await compile(schema, 'all');
  return compiled.how === 'ready' ? null : compiled.message;
}

/** Plain values, which can be sent from process to process. */
export type SchemaLook = { how: 'read'; misfits: Misfit[] } | { how: 'too_deep' } | { how: 'invalid'; message: string };

/** One error of ajv, with uncut values: secrets must be removed before a text is cut. */
export interface Misfit {
  /** A JSON pointer. The pointer to the whole value is empty; it is shown as `/`. */
  place: string;
  keyword: string;
  params: Record<string, unknown>;
  message: string;
  schema: DescribedValue;
  data: DescribedValue;
}

/** A value in words, such as `a list of 3`, or as JSON. The JSON is '' if only the words are short enough. */
export interface DescribedValue {
  words: string | null;
  json: string;
}

/**
 * May never end, because of a pattern that is made to do so.
 * @param value the answer, parsed as JSON.
 * @param chars the length of its text.
 */
export async function findMisfits(schema: Schema, value: unknown, chars: number): Promise<SchemaLook> {
  const compiled = await compile(schema, chars > MAX_FULL_LOOK ? 'first' : 'all');
  if (compiled.how === 'invalid') return compiled;
  try {
    if (compiled.validate(value) === true) return { how: 'read', misfits: [] };
    return { how: 'read', misfits: (compiled.validate.errors ?? []).map(misfitOf) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { how: 'too_deep' };
  }
}

const misfitOf = ({ instancePath, keyword, params, message, schema, data }: AjvError): Misfit => ({
  place: instancePath || '/',
  keyword,
  params,
  message: message ?? 'fits',
  schema: describe(schema),
  data: describe(data),
});

function describe(value: unknown): DescribedValue {
  if (Array.isArray(value))
    return { words: `a list of ${value.length}`, json: value.length > MAX_LIST ? '' : JSON.stringify(value) };
  if (value !== null && typeof value === 'object') return { words: 'an object', json: '' };
  return { words: null, json: JSON.stringify(value) };
}

/** The fields of ajv's errors that we use. */
interface AjvError {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string | undefined;
  schema?: unknown;
  data?: unknown;
}

interface Validate {
  (value: unknown): unknown;
  errors?: AjvError[] | null;
}

type Compiled = { how: 'ready'; validate: Validate } | { how: 'invalid'; message: string };

async function compile(schema: Schema, errors: 'all' | 'first'): Promise<Compiled> {
  const { $schema: draft = DRAFT_2020, ...rest } = schema;
  if (!KNOWN_DRAFT.test(String(draft)))
    return { how: 'invalid', message: `$schema ${String(draft)} is not known; draft 2020-12, 07 and 06 are` };
  if (rest.$async !== undefined) return { how: 'invalid', message: '$async is not known' };
  const kind = `${String(draft).includes('2020') ? '2020' : '07'} ${errors}` as const;
  const engine = engines.get(kind) ?? (await engineOf(kind));
  engines.set(kind, engine);
  try {
    return { how: 'ready', validate: engine.compile(rest) };
  } catch (error) {
    engines.delete(kind);
    const message = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
    const [first] = message.replace(/^schema is invalid: data/, '').split(', data/');
    return { how: 'invalid', message: first!.slice(0, 500) };
  } finally {
    // Otherwise ajv caches it for ever.
    engine.removeSchema(rest);
  }
}

interface Engine {
  compile(schema: Schema): Validate;
  removeSchema(schema: Schema): unknown;
}

/** Cached, because each new engine first compiles the meta-schema, in 30 ms. */
const engines = new Map<string, Engine>();

/** Draft 06 is a subset of draft 07. */
async function engineOf(kind: `${'2020' | '07'} ${'all' | 'first'}`): Promise<Engine> {
  const { default: Ajv } = kind.startsWith('07') ? await import('ajv') : await import('ajv/dist/2020.js');
  const allErrors = kind.endsWith('all');
  return new Ajv({
    allErrors,
    verbose: true,
    strict: false,
    ownProperties: true,
    validateFormats: false,
    logger: false,
  });
}

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const KNOWN_DRAFT = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft-0[67])\/schema#?$/;
