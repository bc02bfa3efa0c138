// Defines the fields that tools take and give, as JSON Schema: no field leads out of the project.

import type { FieldSchema, ObjectSchema } from './tool.ts';

/** An id, never a path. It cannot begin with a dash, because it would be a flag. */
export const TASK: FieldSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
  description: 'the id of a task of this project',
};

export const SESSION: FieldSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
  description: 'a session: its id, at least the first 7 digits of it, or its tag',
};

/** @param required the other properties may be omitted. */
export const taking = (properties: Record<string, FieldSchema>, ...required: string[]): ObjectSchema => ({
  ...{ type: 'object', properties, required },
  additionalProperties: false,
});

/**
 * What a success contains; it may contain more. No property is required, because gemini also checks error results against this.
 */
export const giving = (properties: Record<string, FieldSchema>): ObjectSchema => ({
  ...{ type: 'object', properties, required: [] },
  additionalProperties: true,
});

export const WORD: FieldSchema = { type: 'string' };
export const WORD_OR_NONE: FieldSchema = { type: ['string', 'null'] };
export const COUNT: FieldSchema = { type: 'integer' };
export const LIST: FieldSchema = { type: 'array' };
export const OBJECT: FieldSchema = { type: 'object' };
