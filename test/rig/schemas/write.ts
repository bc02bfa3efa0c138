// Writes docs/schemas again: `npm run schemas`.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { schemaFiles } from './schemas.ts';

const folder = path.resolve(import.meta.dirname, '../../../docs/schemas');
mkdirSync(folder, { recursive: true });
for (const { name, text } of schemaFiles()) writeFileSync(path.join(folder, name), text);
