// The units that may follow a figure: of time, of size, months, and the halves of the day.

import { HAS, isDigit, isSpace } from './characters.ts';
import { isOneOf, wordsOf } from './words.ts';

const TIME_UNITS = wordsOf(
  'ns us ms msec msecs millisecond milliseconds s sec secs second seconds m min mins minute minutes ' +
    'h hr hrs hour hours d day days w week weeks month months y year years',
);
const SIZE_UNITS = wordsOf(
  'kb mb gb tb pb kib mib gib tib pib byte bytes kbyte kbytes mbyte mbytes gbyte gbytes tbyte tbytes',
);
const MONTHS = wordsOf('jan feb mar apr may jun jul aug sep oct nov dec');

/** `HAS` bits of the figure at `at`: most have no unit, and no pattern is tried on them. */
export function unitFeatures(codes: Uint16Array, at: number): number {
  let from = at + 1;
  while (from < at + 26 && isFigure(codes[from]!)) from += 1;
  if (isSpace(codes[from]!) || codes[from] === 45) from += 1;
  let to = from;
  while (to < from + 13 && isLetter(codes[to]!)) to += 1;
  if (to === from) return isMicro(codes[from]!) ? HAS.time : 0;
  return (
    (isOneOf(TIME_UNITS, codes, from, to) ? HAS.time : 0) |
    (isOneOf(SIZE_UNITS, codes, from, to) ? HAS.size : 0) |
    (isHalf(codes[from]!) || isOneOf(MONTHS, codes, from, from + 3) ? HAS.half : 0)
  );
}

/** A digit, `.` or `,`. */
const isFigure = (code: number): boolean => isDigit(code) || code === 46 || code === 44;

const isLetter = (code: number): boolean => (code > 96 && code < 123) || (code > 64 && code < 91);

/** The two letters that stand for a millionth. */
const isMicro = (code: number): boolean => code === 181 || code === 956;

/** `a` or `p`. */
const isHalf = (code: number): boolean => (code | 32) === 97 || (code | 32) === 112;
