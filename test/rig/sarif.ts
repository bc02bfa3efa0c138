// Finds the mistakes of a SARIF log by the published schema of SARIF 2.1.0.

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

/** @returns none if it is valid. */
export function sarifMistakes(log: unknown): string[] {
  // The schema is of draft 04; of what it uses, later drafts changed only the name of its own id.
  const {
    $schema: _,
    id: __,
    ...schema
  } = JSON.parse(readFileSync('test/rig/published/sarif-2.1.0.schema.json', 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat(
    'uri-reference',
    (text: string) => /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(text) && URL.canParse(text, 'file:///'),
  );
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  const valid = ajv.compile(schema);
  return valid(log) ? [] : valid.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}
