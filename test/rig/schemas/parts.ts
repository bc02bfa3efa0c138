// Provides the parts of the published schemas; `record` requires a row for every field of the type it describes.

import { CLASSES } from '../../../policies/facts/classes.ts';
import { ENDINGS } from '../../../policies/facts/evidence.ts';
import type { NextAction } from '../../../policies/facts/next-action.ts';
import { TOOL_NAME, TOOLS } from '../../../policies/facts/tools.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Each field of T has a row, and there are no other rows. */
export type Fields<T> = { [K in keyof Required<T>]: Schema };

type Optional<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

/** All fields are required unless the type makes them optional; other fields are not allowed. */
export function record<T extends object>(
  description: string,
  properties: Fields<T>,
  optional: readonly Optional<T>[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !(optional as readonly string[]).includes(name));
  return { description, type: 'object', properties, required, additionalProperties: false };
}

/** The file of a schema, with its dialect and its name. */
export const published = (title: string, schema: Schema): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `tollgate:${title}`,
  title,
  ...schema,
});

export const text = (description: string): Schema => ({ description, type: 'string' });
export const time = (description: string): Schema => ({
  description: `${description} (ISO 8601, UTC)`,
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
});
export const hash = (description: string): Schema => ({ description, type: 'string', pattern: '^[0-9a-f]{64}$' });
export const signature = (description: string): Schema => ({
  description,
  type: 'string',
  pattern: '^v1:[0-9a-f]{64}$',
});
export const count = (description: string): Schema => ({ description, type: 'integer', minimum: 0 });
export const whole = (description: string): Schema => ({ description, type: 'integer' });
export const amount = (description: string): Schema => ({ description, type: 'number', minimum: 0 });
export const flag = (description: string): Schema => ({ description, type: 'boolean' });
export const one = (description: string, values: readonly (string | number | null)[]): Schema => ({
  description,
  enum: values,
});
export const is = (value: string | number, description: string): Schema => ({ description, const: value });
export const list = (description: string, items: Schema): Schema => ({ description, type: 'array', items });
export const texts = (description: string): Schema => list(description, { type: 'string' });
/** An object whose names are not known in advance. */
export const map = (description: string, values: Schema): Schema => ({
  description,
  type: 'object',
  additionalProperties: values,
});

/** null if it is unknown or does not apply. */
export function orNull({ description, ...schema }: Schema, whenNull = 'unknown'): Schema {
  const both = `${description ?? ''}; null if ${whenNull}`.replace(/^; /, '');
  if (Array.isArray(schema.enum)) return { description: both, enum: [...schema.enum, null] };
  if (typeof schema.type === 'string' && schema.properties === undefined)
    return { description: both, ...schema, type: [schema.type, 'null'] };
  return { description: both, anyOf: [{ ...schema }, { type: 'null' }] };
}

export const NEXT_ACTION = record<NextAction>(
  'One action to do next',
  {
    text: text('Description of the action, complete even without the command'),
    command: text('Complete shell command for the action; absent if one command is not enough'),
    pays: flag('Whether the command itself makes a paid call'),
    changes: orNull(
      one('What the action loosens, which only the user may decide', ['gate', 'scope', 'budget']),
      'the action loosens nothing',
    ),
  },
  ['command'],
);

export const nextActions = (description = 'What to do next, the best action first'): Schema =>
  list(description, NEXT_ACTION);

export const version = is(1, 'Version of this format; a newer version of tollgate may use a higher number');
export const tool: Schema = {
  ...text(`Name of the CLI: ${TOOLS.join(', ')}, or one that tollgate.yaml describes`),
  pattern: TOOL_NAME.source,
};
export const errorClass = one('Class of the failure', Object.keys(CLASSES));
export const ending = one('How the call ended; the first cause counts', Object.keys(ENDINGS));
export const reason = text('Reason of the failure: one word that refines its class');
