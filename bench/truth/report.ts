// The report for people: figures of each set side by side, then what stands behind them.

import { FIGURES, ratio, three } from './figures.ts';
import { KEPT_GROUPS, type Measured } from './measure.ts';
import type { Throughput, Worst } from './speed.ts';
import type { Counted } from './variants.ts';

export type MeasuredSets = Record<string, Measured>;

export function reportOf(sets: MeasuredSets): string[] {
  const names = Object.keys(sets);
  const measured = Object.values(sets);
  const figures = FIGURES.map(({ metric, goal, holds, shown }) => [
    metric,
    goal,
    ...measured.map((one) => `${holds === null || holds(one) ? ' ' : '!'} ${shown(one)}`),
  ]);
  const operators = (title: string, of: (one: Measured) => Counted[]): string[][] => [
    [title],
    ...of(measured[0]!).map(({ name }, i) => [`  ${name}`, ...measured.map((one) => countShown(of(one)[i]!))]),
  ];
  return [
    ...columns([['', 'goal', ...names], ...figures]),
    '',
    ...columns([
      ['operators', ...names],
      ...KEPT_GROUPS.flatMap((group) => operators(`kept: ${group}`, ({ kept }) => kept[group])),
      ...operators('changed: one telling token', ({ telling }) => telling),
    ]),
    '',
    ...confusionsOf(sets),
    ...Object.entries(sets)
      .filter(([, { pairs }]) => pairs.namedOtherwise > 0)
      .map(
        ([name, { pairs }]) =>
          `${name}: ${pairs.namedOtherwise} pairs of two writers with one signature and two names, not counted as merged`,
      ),
  ];
}

function confusionsOf(sets: MeasuredSets): string[] {
  return Object.entries(sets).flatMap(([name, { verdicts }]) =>
    verdicts.confusions.map(
      ({ labelled, judged, ids }) =>
        `${name}: ${labelled} judged ${judged}: ${ids.length} (${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''})`,
    ),
  );
}

/** What is wrong, case by case. */
export function detailsOf(sets: MeasuredSets): string[] {
  return Object.entries(sets).flatMap(([set, { pairs, verdicts, kept, telling }]) => [
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
    ...KEPT_GROUPS.flatMap((group) => kept[group].flatMap((one) => missesOf(`${set}: ${group}`, one))),
    ...telling.flatMap((one) => missesOf(`${set}: telling`, one)),
  ]);
}

const missesOf = (set: string, { name, variants, wrong }: Counted): string[] =>
  wrong.length === 0
    ? []
    : [
        `\n${set}: ${name}: ${wrong.length} of ${variants}`,
        ...wrong.slice(0, 10).flatMap(({ id, base, changed }) => [`  ${id}`, `    ${base}`, `    ${changed}`]),
      ];

export function speedReport(throughput: Throughput, worst: Worst): string[] {
  return [
    '',
    ...columns([
      ['ordinary text', 'MB/s'],
      ...Object.entries(throughput).map(([name, figure]) => [`  ${name}`, figure.toFixed(1)]),
      ['100 kB of hostile text', 'ms at worst'],
      ...Object.entries(worst).map(([name, { ms, of }]) => [`  ${name}`, `${ms.toFixed(1)}  ${of}`]),
    ]),
  ];
}

const countShown = ({ variants, right }: Counted): string =>
  variants === 0 ? '–' : `${three(ratio({ of: variants, right }))} of ${variants}`;

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => (row.length === 1 ? most : row.map((cell, i) => Math.max(most[i] ?? 0, cell.length))),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
