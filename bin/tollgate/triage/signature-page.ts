// Explains a signature, and shows where two signatures differ.

import type { LineFate } from '../../../policies/signature/line-sample.ts';
import { partingOf, type Side, type Signature } from '../../../policies/signature/sign.ts';
import { columns } from '../../columns.ts';
import { hidden, hiddenLine, hiddenSignature } from '../secrets.ts';

export interface ExplainedSignature {
  /** The file, or another name of the input. */
  name: string;
  signed: Signature;
  fates: readonly LineFate[];
}

const MAX_LINES = 10;
const MAX_WIDTH = 160;

/** For programs: the same facts as on the page. */
export const explanationOf = ({ signed, fates }: ExplainedSignature) => ({
  ...hiddenSignature(signed),
  fates: fates.map((fate) => ({ ...fate, example: hiddenLine(fate.example) })),
});

export function renderExplanation(explained: ExplainedSignature): string {
  const { signature, source, normalised, lines, eaten, fates } = explanationOf(explained);
  const rest = lines.length - MAX_LINES;
  return text([
    signature,
    '',
    `signed text [${source}]:`,
    normalised,
    ...section('signed lines:', [
      ...lines.slice(0, MAX_LINES).map((line) => `  ${line.slice(0, MAX_WIDTH)}`),
      ...(rest > 0 ? [`  and ${rest} more`] : []),
    ]),
    ...section(
      'taken from them:',
      cutRows([
        ['class', 'times', 'for', 'original text'],
        ...eaten.map(({ class: name, count, put, pieces }) => [
          name,
          String(count),
          put.join(' ') || '–',
          pieces.join(' | '),
        ]),
      ]),
    ),
    ...section(
      'all lines:',
      cutRows([
        ['what became of them', 'times', 'the first'],
        ...fates.map(({ fate, count, example }) => [fate, String(count), example.trim()]),
      ]),
    ),
  ]);
}

/** For programs: `parted` is null if both are the same. */
export function comparisonOf(one: ExplainedSignature, other: ExplainedSignature) {
  const parting = partingOf(one.signed.explained?.steps ?? [], other.signed.explained?.steps ?? []);
  return {
    same: one.signed.signature === other.signed.signature,
    signatures: [one, other].map(({ name, signed: { signature, source } }) => ({ name, signature, source })),
    parted: parting && {
      after: hidden(parting.after),
      sides: parting.sides.map((side) => side && { ...side, piece: hidden(side.piece), around: hidden(side.around) }),
    },
  };
}

export function renderComparison(one: ExplainedSignature, other: ExplainedSignature): string {
  const { same, signatures, parted } = comparisonOf(one, other);
  const heads = cutRows(signatures.map(({ name, signature, source }) => [name, signature, `[${source}]`]));
  if (same) return text(['The same signature.', ...heads]);
  return text(['Two signatures.', ...heads, ...(parted === null ? [] : partingPage(parted, [one.name, other.name]))]);
}

const partingPage = (
  { after, sides }: NonNullable<ReturnType<typeof comparisonOf>['parted']>,
  names: readonly string[],
): string[] => [
  '',
  after === '' ? 'They part at the first word:' : `They part after "${after}":`,
  ...cutRows(sides.map((side, i) => [names[i]!, ...(side === null ? ['ends here'] : cellsOf(side))])),
];

const cellsOf = ({ put, piece, class: name, around }: Side): string[] => [
  put,
  name === null ? 'kept' : `class "${name}" for "${piece}"`,
  `in: ${around}`,
];

const section = (title: string, rows: readonly string[]): string[] => (rows.length === 0 ? [] : ['', title, ...rows]);

/** Cuts the last cell of each row. */
const cutRows = (rows: readonly (readonly string[])[]): string[] =>
  columns(
    rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell.slice(0, MAX_WIDTH) : cell))),
    '  ',
  );

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
