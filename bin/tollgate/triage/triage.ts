// Implements tollgate triage: prints the verdict for a captured stderr and stdout.

import { localClock } from '../../../loops/local-clock.ts';
import { gather, judgeGathered, readOwnRules, triage } from '../../../loops/report/triage.ts';
import { CLASSES } from '../../../policies/facts/classes.ts';
import type { Clock } from '../../../policies/facts/clock.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { type BuiltIn, isBuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
import type { Rule } from '../../../policies/rules/rule.ts';
import { visible } from '../../../policies/text/display.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { hiddenSignature, hiddenVerdict } from '../secrets.ts';
import { answerLines, readInto } from './input.ts';
import { lintHere } from './triage-lint.ts';
import { testCorpus } from './triage-test.ts';

const SPEC: CommandSpec = {
  name: 'tollgate triage',
  usage: '[FILE|-] --tool TOOL [options] | --test CORPUS | --lint',
  about:
    'Says why a call failed, from its captured stderr (and stdout and exit code): class, reason, evidence, signature. ' +
    "A project's own rules, in its tollgate.yaml, are tried first. " +
    'To test your rules, give --test a file of cases with their known results: it lists each case with another result.',
  flags: {
    tool: { takes: 'choice', choices: TOOLS, about: 'the CLI that wrote the output' },
    'exit-code': { takes: 'number', about: "the CLI's exit code, or its wrapper's" },
    stdout: { takes: 'text', about: 'a file with its stdout (the event stream, or the plain answer)' },
    explain: { takes: 'nothing', about: 'show the rule that matched, and the text from which the signature is made' },
    jsonl: {
      takes: 'nothing',
      about: 'read one {id, tool, exit_code?, stderr, stdout?} per line, write one {id, verdict, signature} per line',
    },
    test: {
      takes: 'text',
      about:
        'a file of cases, or a folder of *.jsonl: {id, tool, at, exit_code?, signal?, ending?, stderr?, stdout? or files, class, reason?, retry_at?, identity?, rendering?} a line. ' +
        'Cases with the same identity and rendering must get the same signature, and two identities two signatures',
    },
    lint: {
      takes: 'nothing',
      about: 'check the rules of tollgate.yaml, and the built-in ones',
    },
  },
  words: { min: 0, max: 1, called: 'FILE' },
  examples: [
    ['tollgate triage err.txt --tool codex --exit-code 1', 'one failure'],
    ['tollgate triage --jsonl < cases.jsonl', 'many, in order'],
    ['tollgate triage --test test/failures.jsonl', 'test your own rules of tollgate.yaml, and ours'],
    ['tollgate triage --lint', 'check your own rules'],
  ],
  exits: [
    [
      TOLLGATE_EXIT.ok,
      'a verdict was given, whatever it is (with --test: each as labelled; with --lint: no row is wrong)',
    ],
    [
      TOLLGATE_EXIT.failure,
      'with --test: a case gets another class or signature than its label; with --lint: a row is wrong',
    ],
    [
      TOLLGATE_EXIT.badInput,
      'usage, or input that cannot be read (with --jsonl: a line, and the others are answered; with --test: none is classified)',
    ],
  ],
};

/** The flags that describe one call. */
const ONE_CALL = ['tool', 'exit-code', 'stdout', 'explain', 'jsonl'];

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, number, given, words } = read.args;
  if (given.has('lint')) return lintHere(read.args, process.cwd());
  const own = await readOwnRules(currentFolder());
  if (own.how === 'invalid') return invalid(own.message);
  if (text.test !== undefined) {
    const beside = [...given].find((name) => ONE_CALL.includes(name)) ?? null;
    if (beside !== null || words.length > 0)
      return invalid(`--test judges the cases of its corpus; leave out ${beside === null ? words[0] : `--${beside}`}`);
    return testCorpus(text.test, own.rules, given.has('json') ? 'json' : 'text');
  }
  const clock = localClock(new Date());
  if (given.has('jsonl')) return manyLines(words[0], own.rules, clock);
  if (text.tool === undefined) return invalid(`--tool is required: one of ${TOOLS.join(', ')}`);
  const call = { tool: text.tool as BuiltIn, exitCode: number['exit-code'] ?? null, signal: null, ending: null };
  const { stdout, stderr, gathered } = gather(call);
  const unread = text.stdout === undefined ? null : await readInto(stdout, text.stdout);
  if (unread !== null) return invalid(`--stdout: ${unread}`);
  const mistake = await readInto(stderr, words[0]);
  if (mistake !== null) return invalid(mistake);
  const result = judgeGathered(gathered(), clock, own.rules, given.has('explain') ? 'explain' : 'sign');
  const verdict = hiddenVerdict(result.verdict);
  const signature = result.signature === null ? null : hiddenSignature(result.signature);
  const answer = { verdict, signature: signature?.signature ?? null };
  if (given.has('json'))
    return { exit: 0, out: `${JSON.stringify(given.has('explain') ? { ...answer, explained: signature } : answer)}\n` };
  const lines = [
    verdict.class === null ? 'success' : `${verdict.class} (${verdict.reason})`,
    ...(verdict.class === null
      ? []
      : [failureSentence({ class: verdict.class, reason: verdict.reason, tool: call.tool })]),
    ...(verdict.evidence === null ? [] : [`evidence [${verdict.evidence.source}]: ${verdict.evidence.text}`]),
    ...(verdict.retry_at === null ? [] : [`not before: ${verdict.retry_at}`]),
    ...(verdict.class === null ? [] : [`next: ${CLASSES[verdict.class].next}`]),
    ...(signature === null ? [] : [`signature: ${signature.signature}`]),
  ];
  if (given.has('explain') && verdict.evidence !== null)
    lines.push(`rule: ${ruleOf(verdict.evidence.rule, own.rules)}`);
  if (given.has('explain') && signature !== null)
    lines.push(`hashed text (from ${signature.source}): ${signature.normalised}`);
  return { exit: 0, out: visible(`${lines.join('\n')}\n`) };
}

/** The rows of a project are read if there is one; a deleted folder has none. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

const ruleOf = (id: string, own: readonly Rule[]): string =>
  own.some((row) => row.id === id) ? `${id} (the project's own, of tollgate.yaml)` : id;

async function manyLines(word: string | undefined, own: readonly Rule[], clock: Clock): Promise<Ran> {
  return answerLines(SPEC.name, word, ({ id, tool, exit_code, stderr, stdout }) => {
    if (!isBuiltIn(tool)) return `tool must be one of ${TOOLS.join(', ')}`;
    if (typeof stderr !== 'string') return 'stderr must be a text';
    const { verdict, signature } = triage(
      {
        tool,
        exitCode: typeof exit_code === 'number' ? exit_code : null,
        signal: null,
        ending: null,
        stderr,
        stdout: typeof stdout === 'string' ? stdout : '',
      },
      clock,
      own,
    );
    return { id: id ?? null, verdict: hiddenVerdict(verdict), signature: signature?.signature ?? null };
  });
}

const invalid = badInputOf('tollgate triage');
