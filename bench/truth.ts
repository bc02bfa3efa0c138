// Measures how reliable verdicts and signatures are: over the labelled corpus, its generated variants, and hostile text.

// npm run bench:truth -- [--seed N] [--verbose] [--figures]

import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { writeFigures } from './figures/measure.ts';
import { MARKDOWN_HEAD, markdownRows, ratio, three } from './truth/figures.ts';
import { DEFAULT_SEED, KEPT_GROUPS, type Measured, measure } from './truth/measure.ts';
import { groups } from './truth/pairs.ts';
import { speedRows } from './truth/speed.ts';
import { readSets, type Subject } from './truth/subject.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(DEFAULT_SEED) },
    verbose: { type: 'boolean', default: false },
    figures: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new Error('--seed takes a whole number');

const speed = speedRows();
const sets = readSets('test/corpus');
const measured = { open: measure(sets.open, seed), held: measure(sets.held, seed) };
const date = new Date().toISOString().slice(0, 10);
const caption = `Version ${manifest.version}, ${date}, seed ${seed}, \`npm run bench:truth\`:`;
const table = [...MARKDOWN_HEAD, ...markdownRows(measured.open, measured.held), ...speed].join('\n');
console.log(`${caption}\n\n${table}\n`);
for (const [set, one] of Object.entries(measured))
  console.log([...overviewOf(set, one), ...(values.verbose ? detailsOf(set, one) : [])].join('\n'));
if (values.figures) writeFigures('truth', [caption, table]);

/** For each operator the number of right signatures, and for the labels the wrong verdicts. */
function overviewOf(set: string, { verdicts, kept, telling }: Measured): string[] {
  const operators = Object.entries({ ...kept, telling }).flatMap(([group, counts]) =>
    counts.map((one) => {
      const share = one.of === 0 ? '–' : `${three(ratio(one))} of ${one.of}`;
      return `${set}, ${group}: ${one.name}: ${share}`;
    }),
  );
  const confusions = verdicts.confusions.map(
    ({ words, ids }) => `${set}: ${words}: ${ids.length} (${ids.slice(0, 8).join(', ')})`,
  );
  return [...operators, ...confusions];
}

/** The errors, case by case. */
function detailsOf(set: string, { pairs, verdicts, kept, telling }: Measured): string[] {
  const lists = (ones: Subject[], nameOf: (one: Subject) => string) =>
    groups(ones, nameOf).map((same) => `  ${nameOf(same[0]!)}: ${same.map(({ labelled }) => labelled.id).join(', ')}`);
  const textOf = ({ signature }: Subject) => signature!.normalised;
  const nameOf = ({ part, labelled }: Subject) => `${part}: ${labelled.identity}`;
  return [
    ...pairs.merged.flatMap((ones) => [`\n${set}: one signature: ${textOf(ones[0]!)}`, ...lists(ones, nameOf)]),
    ...pairs.split.flatMap((ones) => [
      `\n${set}: several signatures for ${nameOf(ones[0]!)} as ${ones[0]!.labelled.rendering}`,
      ...lists(ones, textOf),
    ]),
    ...verdicts.wrong.map(
      ({ id, what, expected, got, rule }) => `${set}: ${id}: ${what} ${expected}, judged ${got} by ${rule}`,
    ),
    ...[...KEPT_GROUPS.flatMap((group) => kept[group]), ...telling].flatMap(({ name, of, wrong }) => [
      ...(wrong.length > 0 ? [`\n${set}: ${name}: ${wrong.length} of ${of}`] : []),
      ...wrong.slice(0, 10).flatMap(({ id, base, changed }) => [`  ${id}`, `    ${base}`, `    ${changed}`]),
    ]),
  ];
}
