// Whether a manifest is surely sound, without the schema's library: by a table that build.mjs reads off the schema.

import type { Shape } from './schema-shape.ts';

/** A shape as JSON; build.mjs fills it in, and without it the schema looks at every manifest. */
declare const __manifestShape: string | undefined;

const SHAPE = typeof __manifestShape === 'string' ? __manifestShape : null;

/** What is not plain may be sound all the same: the schema says so, and what is wrong. */
export const isPlainManifest = (given: object): boolean => SHAPE !== null && isPlain(JSON.parse(SHAPE) as Shape, given);

export function isPlain(shape: Shape, value: unknown): boolean {
  switch (shape.is) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return (
        typeof value === 'string' &&
        isWithin(shape, value.length) &&
        shape.patterns.every(([source, flags]) => new RegExp(source, flags).test(value))
      );
    case 'whole number':
      return Number.isSafeInteger(value) && isWithin(shape, value as number);
    case 'one of':
      return shape.values.includes(value);
    case 'list':
      return Array.isArray(value) && isWithin(shape, value.length) && value.every((one) => isPlain(shape.of, one));
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        shape.needs.every((name) => Object.hasOwn(value, name)) &&
        Object.entries(value).every(
          ([name, one]) => Object.hasOwn(shape.fields, name) && isPlain(shape.fields[name]!, one),
        )
      );
    case 'unsure':
      return false;
  }
}

const isWithin = ({ min, max }: { min?: number | undefined; max?: number | undefined }, size: number): boolean =>
  size >= (min ?? 0) && size <= (max ?? Number.POSITIVE_INFINITY);
