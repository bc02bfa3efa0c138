// Tests properties on generated values, from one seed, so that two runs use the same values.

import fc from 'fast-check';
import { test } from 'uvu';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const RUNS = Number(process.env.FUZZ_RUNS ?? 400);

console.log(`fuzz: seed ${SEED}, ${RUNS} runs of each; FUZZ_SEED and FUZZ_RUNS set others`);

/** @param holds throws, or returns false, if the property does not hold; the failure names the seed and the smallest value. */
export function fuzz<T>(what: string, values: fc.Arbitrary<T>, holds: (value: T) => void): void {
  test(what, () => fc.assert(fc.property(values, holds), { seed: SEED, numRuns: RUNS }));
}
