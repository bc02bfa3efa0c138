// Checks whether an answer fits the schema of its stage; runs checks that may take long in a separate process.

import type { Finding } from '../../policies/facts/gate-record.ts';
import { toDo } from '../../policies/facts/next-action.ts';
import { namesIn } from '../../policies/gate/answer-schema.ts';
import type { LimitedEnd } from '../limited-process.ts';
import { type DescribedValue, findMisfits, type Misfit, type Schema, type SchemaLook } from './schema.ts';

interface Fit {
  finding: Finding | null;
  notes: string[];
}

interface FitTerms {
  /** Removes secrets from quoted text. It must run before a text is cut, since half a secret is not recognised. */
  redact(text: string): string;
  /** Once it is aborted, the check ends and reports no finding. */
  stop: AbortSignal;
  /** The time limit of the check. */
  wallMs?: number;
}

const MOST_MESSAGES = 10;
const MAX_FOUND = 60;
const WALL_MS = 5000;
/** Starting a process costs 60 ms. */
const MAX_QUICK = 64 * 1024;
/** Characters of the answer times characters of the schema: each item of a list may be compared with each part of the schema. */
const MAX_QUICK_WORK = 2 ** 28;
/** Keywords whose check can take longer than the lengths of the answer and the schema suggest. */
const SLOW = ['pattern', 'patternProperties', 'uniqueItems', '$ref', '$dynamicRef', '$recursiveRef'];

/** @param value the answer, parsed as JSON. @param chars the length of its text. */
export async function checkFit(schema: Schema, value: unknown, chars: number, terms: FitTerms): Promise<Fit> {
  const names = namesIn(schema);
  const work = chars * JSON.stringify(schema).length;
  const quick = chars <= MAX_QUICK && work <= MAX_QUICK_WORK && !SLOW.some((name) => names.has(name));
  const look = quick ? await findMisfits(schema, value, chars) : await lookApart(schema, value, chars, terms);
  const notes = names.has('format') ? ['formats in the schema are not checked'] : [];
  return { finding: findingOf(look, terms.redact), notes };
}

type ApartLook = SchemaLook | Exclude<LimitedEnd<SchemaLook>, { how: 'done' }>;

async function lookApart(
  schema: Schema,
  value: unknown,
  chars: number,
  { stop, wallMs = WALL_MS }: FitTerms,
): Promise<ApartLook> {
  const { runSchemaProcess } = await import('./schema-process.ts');
  try {
    const end = await runSchemaProcess({ schema, json: JSON.stringify(value), chars }, wallMs, stop);
    return end.how === 'done' ? end.value : end;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { how: 'too_deep' };
  }
}

function findingOf(look: ApartLook, redact: (text: string) => string): Finding | null {
  switch (look.how) {
    case 'stopped':
      return null;
    case 'invalid':
      return mismatch(['the schema'], [look.message]);
    case 'too_deep':
      return mismatch(['less depth'], ['it is nested too deeply to be checked']);
    case 'overran':
      return unchecked(look.why);
    case 'read': {
      if (look.misfits.length === 0) return null;
      const messages = new Map(
        look.misfits.map((misfit) => [`${misfit.place} (${misfit.keyword})`, messageOf(misfit, redact)]),
      );
      return mismatch([...messages.keys()], [...new Set(messages.values())]);
    }
  }
}

const mismatch = (missing: string[], messages: string[]): Finding => ({
  check: 'schema',
  class: 'contract_violation',
  reason: 'schema_mismatch',
  missing: missing.slice(0, MOST_MESSAGES),
  text: `the answer does not fit the schema: ${messages.slice(0, MOST_MESSAGES).join('; ')}${messages.length > MOST_MESSAGES ? `; and ${messages.length - MOST_MESSAGES} more` : ''}`,
  next_actions: [],
});

const unchecked = (why: string): Finding => ({
  check: 'schema',
  class: 'contract_violation',
  reason: 'schema_unchecked',
  missing: ['a look at the schema'],
  text: `whether the answer fits the schema could not be looked at: ${why}`,
  next_actions: [
    toDo(
      'simplify the schema: a pattern with nested repeats, such as (a+)+, can take forever, and so can many alternatives for each item of a list',
    ),
  ],
});

function messageOf(misfit: Misfit, redact: (text: string) => string): string {
  const shown = (value: DescribedValue): string => shortened(value, redact);
  return `${misfit.place}: expected ${(EXPECTED[misfit.keyword] ?? otherwise)(misfit, shown)}`;
}

type Telling = (misfit: Misfit, shown: (value: DescribedValue) => string) => string;

const EXPECTED: Record<string, Telling> = {
  type: ({ params, data }, shown) => `${[params.type].flat().join(' or ')}, found ${shown(data)}`,
  required: ({ params }) => `the property "${String(params.missingProperty)}", found none`,
  additionalProperties: ({ params }) => `no property "${String(params.additionalProperty)}", found one`,
  unevaluatedProperties: ({ params }) => `no property "${String(params.unevaluatedProperty)}", found one`,
  enum: ({ schema, data }, shown) => `one of ${shown(schema)}, found ${shown(data)}`,
  const: ({ schema, data }, shown) => `${shown(schema)}, found ${shown(data)}`,
};

/** ajv's messages have the form `must be >= 1`. */
const otherwise: Telling = ({ message, data }, shown) => `that it ${message}, found ${shown(data)}`;

function shortened({ words, json }: DescribedValue, redact: (text: string) => string): string {
  const text = redact(json);
  if (words !== null) return text === '' || text.length > MAX_FOUND ? words : text;
  return text.length > MAX_FOUND ? `${text.slice(0, MAX_FOUND)}…` : text;
}
