// Checks what a command printed against its published schema.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaFiles } from './schemas.ts';

/** @param name the name of the file without its extension. */
export const validatorOf = (name: string) =>
  new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    schemaFiles().find((file) => file.name === `${name}.json`)!.schema,
  );
