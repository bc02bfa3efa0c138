// Reports the details behind the figures: operators, confusions, and the errors, case by case.

import { ratio, three } from './figures.ts';
import { KEPT_GROUPS, type Measured } from './measure.ts';
import type { Worst } from './speed.ts';
import type { Counted } from './variants.ts';

/** For each operator the number of right signatures, and for the labels the wrong verdicts. */
export const overviewOf = (set: string, { verdicts, kept, telling }: Measured): string[] => [
  ...[...KEPT_GROUPS.map((group) => [group, kept[group]] as const), ['telling', telling] as const].flatMap(
    ([group, counts]) => counts.map((one) => `${set}, ${group}: ${one.name}: ${shareShown(one)}`),
  ),
  ...verdicts.confusions.map(
    ({ labelled, judged, ids }) =>
      `${set}: ${labelled} judged ${judged}: ${ids.length} (${ids.slice(0, 8).join(', ')})`,
  ),
];

export const detailsOf = (set: string, { pairs, verdicts, kept, telling }: Measured): string[] => [
  ...pairs.merged.flatMap(({ normalised, failures }) => [
    `\n${set}: one signature for ${Object.keys(failures).length} failures: ${normalised}`,
    ...Object.entries(failures).map(([identity, ids]) => `  ${identity}: ${ids.join(', ')}`),
  ]),
  ...pairs.split.flatMap(({ identity, rendering, signatures }) => [
    `\n${set}: ${signatures.length} signatures for ${identity} as ${rendering}`,
    ...signatures.map(({ normalised, ids }) => `  ${ids.join(', ')}: ${normalised}`),
  ]),
  ...verdicts.wrong.map(
    ({ id, what, expected, got, rule }) => `${set}: ${id}: ${what} ${expected}, judged ${got} by ${rule}`,
  ),
  ...[...KEPT_GROUPS.flatMap((group) => kept[group]), ...telling].flatMap(({ name, variants, wrong }) => [
    ...(wrong.length > 0 ? [`\n${set}: ${name}: ${wrong.length} of ${variants}`] : []),
    ...wrong.slice(0, 10).flatMap(({ id, base, changed }) => [`  ${id}`, `    ${base}`, `    ${changed}`]),
  ]),
];

export const worstShown = (worst: Worst): string[] =>
  Object.entries(worst).map(([name, { ms, of }]) => `100 kB of hostile text, ${name}: ${ms.toFixed(1)} ms (${of})`);

const shareShown = ({ variants, right }: Counted): string =>
  variants === 0 ? '–' : `${three(ratio({ of: variants, right }))} of ${variants}`;
