// What of a schema can be told without its library, as a table: when the bundles are built, it is read off the schema itself.

import type * as z from 'zod';

/** `unsure`: only the schema knows. */
export type Shape =
  | { is: 'boolean' }
  | (Bounds & { is: 'string'; patterns: [source: string, flags: string][] })
  | (Bounds & { is: 'whole number' })
  | { is: 'one of'; values: unknown[] }
  | (Bounds & { is: 'list'; of: Shape })
  | { is: 'object'; fields: Record<string, Shape>; needs: string[] }
  | { is: 'unsure' };

/** Of a number itself, else of a length. */
interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

const MAY_LACK: ReadonlySet<string> = new Set(['default', 'optional']);

const UNSURE: Shape = { is: 'unsure' };

export function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const checks = checksOf(def.checks ?? []);
  if (checks === null) return UNSURE;
  const { min, max, patterns, isWhole } = checks;
  switch (def.type) {
    case 'default':
    case 'optional':
      return shapeOf(def.innerType);
    case 'boolean':
      return { is: 'boolean' };
    case 'string':
      return { is: 'string', min, max, patterns };
    case 'number':
      return isWhole ? { is: 'whole number', min: min ?? -Number.MAX_SAFE_INTEGER, max } : UNSURE;
    case 'enum':
      return { is: 'one of', values: Object.values(def.entries) };
    case 'array':
      return { is: 'list', of: shapeOf(def.element), min, max };
    case 'object': {
      if (def.catchall?._zod.def.type !== 'never') return UNSURE;
      const fields = Object.entries(def.shape);
      return {
        is: 'object',
        fields: Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field)])),
        needs: fields.filter(([, field]) => !MAY_LACK.has(field._zod.def.type)).map(([name]) => name),
      };
    }
    default:
      return UNSURE;
  }
}

/** null where one of them is no bound and no pattern. */
function checksOf(checks: readonly z.core.$ZodCheck<never>[]) {
  const told = { patterns: [] as [string, string][], isWhole: false } as Bounds & {
    patterns: [string, string][];
    isWhole: boolean;
  };
  for (const check of checks) {
    const { def } = (check as unknown as z.core.$ZodChecks)._zod;
    if (def.check === 'min_length') told.min = def.minimum;
    else if (def.check === 'max_length') told.max = def.maximum;
    else if (def.check === 'greater_than' && def.inclusive) told.min = Number(def.value);
    else if (def.check === 'less_than' && def.inclusive) told.max = Number(def.value);
    else if (def.check === 'number_format' && def.format === 'safeint') told.isWhole = true;
    else if (def.check === 'string_format' && def.format === 'regex' && def.pattern !== undefined)
      told.patterns.push([def.pattern.source, def.pattern.flags]);
    else return null;
  }
  return told;
}
