// tollgate signature: a failure's signature, and the text it stands for.

import { TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { createErrorLines } from '../../policies/signature/error-lines.ts';
import { explainLines, signLines, signText } from '../../policies/signature/sign.ts';
import { isTool, TOOLS, type Tool } from '../../policies/tools.ts';
import { createLineSplitter, MAX_STDERR_LINE } from '../../wrappers/line-splitter.ts';
import { type Ran, readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { answerLines } from './answer-lines.ts';
import { readInto } from './input.ts';
import { hiddenSignature } from './secrets.ts';

const SPEC: CommandSpec = {
  name: 'tollgate signature',
  usage: '[FILE|-] [options]',
  about: 'Prints the signature of a failure: equal for two runs of one failure, different for two failures.',
  flags: {
    tool: { takes: 'choice', choices: TOOLS, about: 'whose stderr it is; it counts only where the text says nothing' },
    explain: { takes: 'nothing', about: 'show the text that is hashed, and what each token class took from it' },
    jsonl: { takes: 'nothing', about: 'read {id, tool?, text} a line, write {id, signature} a line' },
  },
  words: { min: 0, max: 1, called: 'FILE' },
  examples: [
    ['tollgate signature err.txt --explain', 'why it is what it is'],
    ['tollgate signature --jsonl < texts.jsonl', 'many, in order'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'printed'],
    [TOLLGATE_EXIT.badInput, 'usage, or input that cannot be read (with --jsonl: a line, and the others are answered)'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  if (given.has('jsonl')) return manyLines(words[0]);
  const tool = (text.tool as Tool | undefined) ?? null;
  const selected = createErrorLines();
  const lines = createLineSplitter(MAX_STDERR_LINE, 'shown', (line) => selected.push(line));
  const mistake = await readInto(lines, words[0]);
  if (mistake !== null) return mistaken(mistake);
  if (!given.has('explain')) {
    const { signature } = signLines(tool, selected);
    return { exit: 0, out: given.has('json') ? `${JSON.stringify({ signature })}\n` : `${signature}\n` };
  }
  const explained = hiddenSignature(explainLines(tool, selected));
  if (given.has('json')) return { exit: 0, out: `${JSON.stringify(explained)}\n` };
  const eaten = Object.entries(explained.trace ?? {}).map(
    ([name, texts]) => `  ${name}: ${[...new Set(texts)].slice(0, 5).join(' | ')}`,
  );
  return {
    exit: 0,
    out: `${[explained.signature, '', `signed text [${explained.source}]:`, explained.normalised, '', 'taken away:', ...eaten].join('\n')}\n`,
  };
}

const manyLines = (word: string | undefined): Promise<Ran> =>
  answerLines(SPEC.name, word, ({ id, tool, text }) => {
    if (tool !== undefined && tool !== null && !isTool(tool)) return `tool must be one of ${TOOLS.join(', ')}`;
    if (typeof text !== 'string') return 'text must be a text';
    return { id: id ?? null, signature: signText(isTool(tool) ? tool : null, text).signature };
  });

const mistaken = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate signature: ${message}\n` });
