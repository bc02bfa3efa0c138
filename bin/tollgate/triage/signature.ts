// Implements tollgate signature: prints a failure's signature, and the text that it represents.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { isTool, TOOLS, type Tool } from '../../../policies/facts/tools.ts';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { createLineFates } from '../../../policies/signature/line-sample.ts';
import { explainLines, signText } from '../../../policies/signature/sign.ts';
import { createLineSplitter, MAX_STDERR_LINE } from '../../../wrappers/line-splitter.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { answerLines } from '../answer-lines.ts';
import { readInto } from './input.ts';
import {
  comparisonOf,
  type ExplainedSignature,
  explanationOf,
  renderComparison,
  renderExplanation,
} from './signature-page.ts';

const SPEC: CommandSpec = {
  name: 'tollgate signature',
  usage: '[FILE|-] [options]',
  about: 'Prints the signature of a failure: equal for two runs of one failure, different for two failures.',
  flags: {
    tool: { takes: 'choice', choices: TOOLS, about: 'whose stderr it is; it counts only where the text says nothing' },
    explain: {
      takes: 'nothing',
      about: 'show the text that is hashed, what each class of tokens took from it, and what became of each line',
    },
    compare: { takes: 'text', about: 'another file: have both one signature, and if not, where do they part?' },
    jsonl: { takes: 'nothing', about: 'read {id, tool?, text} a line, write {id, signature} a line' },
  },
  words: { min: 0, max: 1, called: 'FILE' },
  examples: [
    ['tollgate signature err.txt --explain', 'why it is what it is'],
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
