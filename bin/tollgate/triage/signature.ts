// Implements tollgate signature: explains a failure's signature, and shows where two signatures differ.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { isTool, TOOLS, type Tool } from '../../../policies/facts/tools.ts';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { createLineFates, type LineFates } from '../../../policies/signature/line-sample.ts';
import { explainLines, partingOf, type Side, type Signature, signText } from '../../../policies/signature/sign.ts';
import { createLineSplitter, MAX_STDERR_LINE } from '../../../wrappers/line-splitter.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { columns } from '../../wrap.ts';
import { hidden, hiddenLine, hiddenSignature } from '../secrets.ts';
import { answerLines, readInto } from './input.ts';

const SPEC: CommandSpec = {
  name: 'tollgate signature',
  usage: '[FILE|-] [options]',
  about: 'Prints the signature of a failure: equal for two runs of one failure, different for two failures.',
  flags: {
    tool: { takes: 'choice', choices: TOOLS, about: 'the CLI that wrote the text, if the text does not show it' },
    explain: {
      takes: 'nothing',
      about: 'show the hashed text, what each class of tokens replaced, and the result of each line',
    },
    compare: {
      takes: 'text',
      about: 'compare with this file: do both have the same signature, and if not, where do they differ?',
    },
    jsonl: { takes: 'nothing', about: 'read one {id, tool?, text} per line, write one {id, signature} per line' },
  },
  words: { min: 0, max: 1, called: 'FILE' },
  examples: [
    ['tollgate signature err.txt --explain', 'what it was made from'],
    ['tollgate signature err.txt --compare other.txt', 'why are these two not the same?'],
    ['tollgate signature --jsonl < texts.jsonl', 'many, in order'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'printed (with --compare: the same signature)'],
    [TOLLGATE_EXIT.failure, 'with --compare: two signatures'],
    [TOLLGATE_EXIT.badInput, 'usage, or input that cannot be read (with --jsonl: a line, and the others are answered)'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  if (given.has('jsonl')) return given.has('compare') ? invalid(NO_PAIRS) : manyLines(words[0]);
  const tool = (text.tool as Tool | undefined) ?? null;
  const one = await explainFile(tool, words[0]);
  if (typeof one === 'string') return invalid(one);
  const shown = (value: unknown, page: string) => (given.has('json') ? `${JSON.stringify(value)}\n` : page);
  if (text.compare !== undefined) {
    const other = text.compare === '-' ? '- can be read only once, as FILE' : await explainFile(tool, text.compare);
    if (typeof other === 'string') return invalid(`--compare: ${other}`);
    const comparison = comparisonOf(one, other);
    return {
      exit: comparison.same ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
      out: shown(comparison, renderComparison(one, other)),
    };
  }
  if (given.has('explain')) return { exit: 0, out: shown(explanationOf(one), renderExplanation(one)) };
  const { signature } = one.signed;
  return { exit: 0, out: shown({ signature }, `${signature}\n`) };
}

const NO_PAIRS = '--jsonl and --compare cannot be used together';

/** Reads a file as if it were a call's stderr. A returned text says what is wrong with the file. */
async function explainFile(tool: Tool | null, word: string | undefined): Promise<ExplainedSignature | string> {
  const fates = createLineFates();
  const selected = createErrorLines(tool, fates);
  const lines = createLineSplitter(MAX_STDERR_LINE, 'shown', (line) => selected.push(line));
  const mistake = await readInto(lines, word);
  if (mistake !== null) return mistake;
  const signed = explainLines(tool, selected);
  return { name: word ?? '-', signed, fates: fates.fates() };
}

const manyLines = (word: string | undefined): Promise<Ran> =>
  answerLines(SPEC.name, word, ({ id, tool, text }) => {
    if (tool !== undefined && tool !== null && !isTool(tool)) return `tool must be one of ${TOOLS.join(', ')}`;
    if (typeof text !== 'string') return 'text must be a text';
    return { id: id ?? null, signature: signText(isTool(tool) ? tool : null, text).signature };
  });

const invalid = badInputOf('tollgate signature');

interface ExplainedSignature {
  /** The file, or another name of the input. */
  name: string;
  signed: Signature;
  fates: ReturnType<LineFates['fates']>;
}

const MAX_LINES = 10;

const MAX_WIDTH = 160;

/** For programs: the same facts as on the page. */
const explanationOf = ({ signed, fates }: ExplainedSignature) => ({
  ...hiddenSignature(signed),
  fates: fates.map((fate) => ({ ...fate, example: hiddenLine(fate.example) })),
});

function renderExplanation(explained: ExplainedSignature): string {
  const { signature, source, normalised, lines, eaten, fates } = explanationOf(explained);
  const rest = lines.length - MAX_LINES;
  return text([
    signature,
    '',
    `hashed text (from ${source}):`,
    normalised,
    ...section('made from these lines:', [
      ...lines.slice(0, MAX_LINES).map((line) => `  ${line.slice(0, MAX_WIDTH)}`),
      ...(rest > 0 ? [`  and ${rest} more`] : []),
    ]),
    ...section(
      'replaced in them:',
      cutRows([
        ['class', 'times', 'by', 'original text'],
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
        ['what it is', 'times', 'the first'],
        ...fates.map(({ fate, count, example }) => [fate, String(count), example.trim()]),
      ]),
    ),
  ]);
}

/** For programs: `parted` is null if both are the same. */
function comparisonOf(one: ExplainedSignature, other: ExplainedSignature) {
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

function renderComparison(one: ExplainedSignature, other: ExplainedSignature): string {
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

const cutRows = (rows: readonly (readonly string[])[]): string[] =>
  columns(
    rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell.slice(0, MAX_WIDTH) : cell))),
    '  ',
  );

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
