// The shape of tollgate.yaml, what a project says for all of its tasks.

import { z } from 'zod';
import { PIPELINES } from '../policies/pipelines.ts';
import { PLACE, STAGE } from './manifest-schema.ts';

const ROLE_NAME = /^[a-z][a-z0-9_]{0,40}$/;
const perMillion = z.number().min(0);

export const PROJECT = z.strictObject({
  $schema: z.string().optional(),
  rules: PLACE.nullable().default(null).describe('a file of rules that stand before every prompt'),
  roles: z
    .record(
      z.string().regex(ROLE_NAME, 'must be a word of a-z 0-9 _'),
      z.strictObject({
        template: PLACE.optional().describe('a file that says what the role is told'),
        access: z.enum(['read', 'write']).optional().describe('what it may do where a stage does not say'),
        requires: z.array(z.string().min(1)).optional().describe('sections that its answer must have'),
        min_lines: z.number().int().min(0).optional().describe('lines with text that its answer must have'),
        reads: z.array(z.string().min(1)).optional().describe('roles whose answers are put into its prompt'),
      }),
    )
    .default({})
    .describe('changes to the built-in roles, and roles of its own'),
  pipelines: z
    .record(z.string().regex(ROLE_NAME, 'must be a word of a-z 0-9 _'), z.array(STAGE).min(1))
    // Whoever names a built-in pipeline must get that one, whatever project the task lies in.
    .superRefine((own, { addIssue }) => {
      for (const name of Object.keys(own).filter((name) => Object.hasOwn(PIPELINES, name)))
        addIssue({ code: 'custom', path: [name], message: 'is built in and cannot be changed; give it another name' });
    })
    .default({})
    .describe('pipelines of its own, by name'),
  prices: z
    .record(z.string().min(1), z.strictObject({ input: perMillion, cached: perMillion.optional(), output: perMillion }))
    .default({})
    .describe('US dollars for a million tokens, by model'),
});
