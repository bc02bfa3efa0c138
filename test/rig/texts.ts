// Generates texts: any characters, and combinations of the parts of errors.

import fc from 'fast-check';
import { LINE_KINDS } from '../../policies/signature/line-kinds.ts';
import { TOKEN_CLASSES } from '../../policies/signature/normalise.ts';

/** Any characters, also halves of surrogate pairs. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString()),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((codes) => String.fromCharCode(...codes)),
);

const TOLD = TOKEN_CLASSES.flatMap(({ masks, keeps = [] }) => [...masks, ...keeps].flat());
const LINES = LINE_KINDS.flatMap(({ examples }) => examples);

/** A word, a character, or a whole example of a class of tokens or of a kind of line. */
export const piece = fc.constantFrom(
  ...TOLD,
  ...TOLD.flatMap((text) => text.split(/\b/)),
  ...LINES,
  ...LINES.flatMap((text) => text.split(/\b/)),
  ...'/\\\n"\'`:=<>[](){}-.@ %é\r\t,;|',
  ...[
    '\\n',
    '\\"',
    '\\u0041',
    '\x1b[31m',
    '\u200b',
    '\u202f',
    '  ',
    'Error: ',
    'not found',
    '401',
    '"code":401',
    'task ',
  ],
  ...[
    '{"error":{"message":"',
    '"}}',
    'sk-fake-',
    'eyJ',
    'Bearer ',
    '│ ',
    '● ',
    '\ud83d\ude00',
    '\ud83d',
    'e\u0301',
    'İ',
    'Σ',
    'ß',
  ],
);

const between = fc.constantFrom('', '', ' ', ' ', ': ', '=', ', ', '\n', ' - ', '/', '"', '. ', ' [', ') ', '\0');
const part = fc.oneof(
  { weight: 5, arbitrary: piece },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);

/** Parts of errors, in any order, with anything between them. */
export const errorLikeText = fc.array(fc.tuple(part, between), { maxLength: 24 }).map((parts) => parts.flat().join(''));

export const text = fc.oneof({ weight: 1, arbitrary: anyText }, { weight: 3, arbitrary: errorLikeText });
