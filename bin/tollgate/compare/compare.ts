// Implements tollgate compare: one prompt or task for several tools, models or accounts, and applies the chosen result.

import { existsSync } from 'node:fs';
import { compare, resumeComparison } from '../../../loops/compare/compare.ts';
import { collectComparison } from '../../../loops/compare/compared.ts';
import { comparisonIds, findComparison } from '../../../loops/compare/comparison.ts';
import { pickVariant, removeComparison } from '../../../loops/compare/pick.ts';
import { RUN_FLAGS } from '../../../loops/task/run-options.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { VARIANT_FORM } from '../../../policies/manifest/variants.ts';
import { type ComparisonReport, renderComparison, SHORT, WHOLE } from '../../../policies/report/comparison.ts';
import { withRelativePaths } from '../../../policies/report/problem.ts';
import { visible } from '../../../policies/text/display.ts';
import { checkTaskId, locateTask, projectRoot, projectState } from '../../../state/task-folder.ts';
import { readArguments, stopOnSignals, unexpected } from '../../command.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import { printing } from '../../printing.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { sheetOf } from '../../sheet.ts';
import { onSheet } from '../../terminal-page.ts';
import { startBatchProgress } from '../batch.ts';
import { contextOf, optionsOf } from '../run-flags.ts';
import { readInput } from '../triage/input.ts';
import { renderComparedHtml } from './compare-page.ts';

const VERBS = ['show', 'resume', 'pick', 'remove', 'list'] as const;

const SPEC: CommandSpec = {
  name: 'tollgate compare',
  usage: `PROMPT|TASK --with ${VARIANT_FORM} --with … [options]`,
  about:
    'Sends one prompt or task to several tools, models or accounts at once, each in its own git worktree, within one budget. Prints a table, the answers and the changes.',
  flags: {
    with: { takes: 'texts', about: `a variant: ${VARIANT_FORM} (repeatable, 2 to 16 of them)` },
    prompt: { takes: 'text', about: 'the prompt, also one that is a single word or the name of a task' },
    file: { takes: 'text', short: 'f', about: 'read the prompt from this file (-: stdin)' },
    access: {
      takes: 'choice',
      choices: ['read', 'write'],
      default: 'read',
      about: 'for a prompt: write lets each variant change its own worktree',
    },
    acceptance: { takes: 'texts', about: 'for a prompt: a command that must succeed after the answer (repeatable)' },
    stage: {
      takes: 'texts',
      about: 'for a task: replace only the CLI of this stage (repeatable; default: all stages)',
    },
    'max-calls': {
      takes: 'number',
      min: 2,
      about: 'the paid calls of all variants together, shared equally (default: 3 for each, or what the task allows)',
    },
    'max-tokens': { takes: 'number', min: 2, about: 'the tokens of all variants together, shared equally' },
    'max-usd': { takes: 'text', about: 'the cost of all variants together, shared equally (needs prices)' },
    concurrency: {
      takes: 'number',
      min: 1,
      max: 16,
      about: 'the number of paid calls at the same time (default: all)',
    },
    'allow-dirty': {
      takes: 'nothing',
      about: 'compare although the tree has uncommitted changes, which no variant sees',
    },
    show: { takes: 'nothing', about: 'show a comparison again (--of; the last one without it)' },
    resume: { takes: 'text', about: 'run what is not done yet of this comparison (last: the last one)' },
    pick: { takes: 'text', about: 'apply the changes of this variant (its number or name) to the tree, uncommitted' },
    of: { takes: 'text', about: 'the comparison for --pick and --show', default: 'last' },
    remove: { takes: 'text', about: 'remove the worktrees and branches of this comparison; its answers remain' },
    list: { takes: 'nothing', about: 'list the comparisons of the project, the last one first' },
    format: { takes: 'choice', choices: ['text', 'json', 'md', 'html'], default: 'text', about: 'the format' },
    'wait-for-reset': RUN_FLAGS['wait-for-reset'],
    'ignore-hold': RUN_FLAGS['ignore-hold'],
    'trust-workspace': RUN_FLAGS['trust-workspace'],
  },
  common: ['with', 'file', 'access', 'acceptance', 'max-calls', 'pick', 'show', 'resume', 'remove', 'format'],
  words: { min: 0, max: 1, called: 'PROMPT or TASK' },
  examples: [
    ['tollgate compare "why is the test flaky?" --with codex --with claude:opus', 'two answers side by side'],
    [
      'tollgate compare "fix the flaky test" --access write --acceptance "npm test" --with codex --with gemini',
      'two changes, each checked',
    ],
    ['tollgate compare fix-login --with codex --with codex@team', 'a task, with two accounts'],
    ['tollgate compare --pick 2', 'apply what the second variant of the last comparison changed'],
    ['tollgate compare --show --format html > comparison.html', 'one page to look at'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'every variant is done; or the changes were applied or removed'],
    [TOLLGATE_EXIT.failure, 'some variant is not done; the report says which'],
    [TOLLGATE_EXIT.badInput, 'usage, or a variant that cannot be called; nothing was paid or changed'],
    ['130, 143', 'stopped by INT, TERM; --resume continues'],
    [70, 'an internal error'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  return read.how === 'ended' ? read.ran : act(read.args, stop).catch(unexpected);
}

async function act(args: Arguments, stop: AbortSignal): Promise<Ran> {
  const { given, text, words } = args;
  const [verb, second] = VERBS.filter((flag) => given.has(flag));
  if (second !== undefined) return invalid(`--${verb} and --${second} do not go together; leave one of them out`);
  if (given.has('json') && given.has('format') && text.format !== 'json')
    return invalid(`--json and --format ${text.format} are two formats; leave one of them out`);
  const say = (sentence: string) =>
    void (given.has('quiet') || printing('stderr').write(`${SPEC.name}: ${sentence}\n`));
  const context = contextOf(stop, { say, watch: () => {} });
  const state = projectState(context.cwd, context.environment);
  if (verb === undefined) return begin(args, stop);
  if (words.length > 0 || given.has('with'))
    return invalid(`--${verb} takes a comparison that exists; leave ${words[0] ?? '--with'} out`);
  if (verb === 'list') return list(state, given.has('json'));
  const comparison = findComparison(state, (verb === 'resume' || verb === 'remove' ? text[verb] : text.of)!);
  if (typeof comparison === 'string') return invalid(comparison);
  if (verb === 'show') {
    const { report, diffs } = await collectComparison(comparison, context);
    return shown(report, diffs, args, TOLLGATE_EXIT.ok);
  }
  if (verb === 'resume') return answerTo(stop, args, (settings) => resumeComparison(comparison, settings));
  if (verb === 'remove') {
    const mistake = await removeComparison(comparison, context);
    if (mistake !== null) return { exit: TOLLGATE_EXIT.failure, err: `${SPEC.name}: ${mistake}\n` };
    const id = comparison.comparison_id;
    if (given.has('json'))
      return { exit: 0, out: `${JSON.stringify({ schema: 1, comparison_id: id, removed: true })}\n` };
    return { exit: 0, out: `Removed the worktrees and branches of ${id}; its tasks and answers remain.\n` };
  }
  const options = optionsOf(args, []);
  if (typeof options === 'string') return invalid(options);
  const trust = options.trustWorkspace ? 'trusted' : 'untrusted';
  const picked = await pickVariant(comparison, text.pick!, { context, trust });
  if (picked.how === 'invalid') return invalid(picked.message);
  const { how: _, ...applied } = picked;
  if (given.has('json'))
    return { exit: 0, out: `${JSON.stringify({ schema: 1, comparison_id: comparison.comparison_id, ...applied })}\n` };
  const lines = [
    `Applied the changes of variant ${picked.n} (${picked.name}) to the tree, uncommitted:`,
    ...picked.files.map((file) => `  ${file}`),
    'Next:',
    ...picked.next_actions.map((action) => `- ${actionLine(action)}`),
  ];
  return { exit: 0, out: `${lines.join('\n')}\n`, isPage: true };
}

function list(state: string, isJson: boolean): Ran {
  const all = comparisonIds(state).flatMap((id) => {
    const found = findComparison(state, id);
    return typeof found === 'string' ? [] : [found];
  });
  if (isJson) return { exit: 0, out: `${JSON.stringify({ schema: 1, comparisons: all })}\n` };
  if (all.length === 0)
    return { exit: 0, out: 'There are no comparisons yet: tollgate compare "…" --with codex --with claude\n' };
  const lines = all.map(
    ({ comparison_id: id, variants, picked, removed }) =>
      `${id}  ${variants.map(({ name }) => name).join(', ')}${picked === null ? '' : `  picked ${picked.n}`}${removed === null ? '' : '  removed'}`,
  );
  return { exit: 0, out: visible(`${lines.join('\n')}\n`), isPage: true };
}

type Settings = Parameters<typeof resumeComparison>[1];

async function begin(args: Arguments, stop: AbortSignal): Promise<Ran> {
  const { text, texts, number, given } = args;
  const usd = text['max-usd'] === undefined ? null : Number(text['max-usd']);
  if (usd !== null && !(usd > 0)) return invalid(`--max-usd takes an amount such as 1.50, not "${text['max-usd']}"`);
  if (texts.with === undefined)
    return invalid(`there is nothing to compare: name the variants by --with ${VARIANT_FORM}, at least two of them`);
  const compared = comparedBy(args);
  if (typeof compared === 'string') return invalid(compared);
  return answerTo(stop, args, (settings) =>
    compare({
      ...settings,
      with: texts.with!,
      compared,
      budget: { calls: number['max-calls'] ?? null, tokens: number['max-tokens'] ?? null, usd },
      dirtyTree: given.has('allow-dirty') ? 'allow' : 'refuse',
    }),
  );
}

type What = Parameters<typeof compare>[0]['compared'];

/** A word that names a task is one; everything else is a prompt. */
function comparedBy({ text, texts, given, words }: Arguments): What | string {
  const [word] = words;
  const ways = [word, text.prompt, text.file].filter((one) => one !== undefined);
  if (ways.length > 1) return 'the prompt is given twice: use one of an argument, --prompt and --file';
  const isTask = word !== undefined && !/\s/.test(word) && (word.includes('/') || checkTaskId(word) === null);
  if (isTask) {
    const located = locateTask(word, process.cwd(), process.env);
    if (located.how === 'invalid') return located.message;
    if (!existsSync(located.folder.root))
      return `there is no task ${word}; if it is a prompt of one word, pass it by --prompt`;
    const misplaced = (['access', 'acceptance'] as const).find((flag) => given.has(flag));
    if (misplaced !== undefined) return `--${misplaced} is for a prompt; the manifest of ${word} says it`;
    return { what: 'task', word, stages: texts.stage ?? [] };
  }
  if (given.has('stage')) return '--stage is for a task; a prompt has no stages';
  const typed = word ?? text.prompt;
  const prompt = typed === undefined ? readInput(text.file) : { how: 'read' as const, text: typed };
  if (prompt.how === 'invalid') return `the prompt: ${prompt.message}`;
  return {
    what: 'prompt',
    text: prompt.text,
    access: text.access as 'read' | 'write',
    acceptance: texts.acceptance ?? [],
  };
}

async function answerTo(
  stop: AbortSignal,
  args: Arguments,
  work: (settings: Settings) => ReturnType<typeof resumeComparison>,
): Promise<Ran> {
  const options = optionsOf(args, []);
  if (typeof options === 'string') return invalid(options);
  const progress = startBatchProgress(args.given.has('quiet') ? 'problems' : 'all');
  const context = contextOf(stop, { say: progress.say, watch: () => {} });
  const concurrency = args.number.concurrency ?? null;
  const ran = await work({ options, context, concurrency, tell: progress.tell }).finally(progress.stop);
  if (ran.how === 'invalid') return invalid(ran.message);
  const { report, diffs } = ran;
  return shown(report, diffs, args, report.exit_code);
}

function shown(
  report: ComparisonReport,
  diffs: ReadonlyMap<number, string>,
  { given, text }: Arguments,
  exit: number,
): Ran {
  const format = given.has('json') ? 'json' : text.format;
  if (format === 'json') return { exit, out: `${JSON.stringify(report)}\n` };
  // A reader on another machine cannot use the paths of this one.
  const root = JSON.stringify(projectRoot(process.cwd())).slice(1, -1);
  const posted = JSON.parse(withRelativePaths(JSON.stringify(report), [root])) as ComparisonReport;
  if (format === 'html') return { exit, out: renderComparedHtml(posted, diffs) };
  if (format === 'md') return { exit, out: renderComparison(posted, WHOLE, diffs) };
  return { exit, out: onSheet(renderComparison(posted, SHORT, diffs), sheetOf(process.env)), isPage: true };
}

const invalid = badInputOf(SPEC.name);
