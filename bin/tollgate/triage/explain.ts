// Implements tollgate explain: shows why a task failed and what to do; with --verbose also by which rule it was classified.

import { explainTask } from '../../../loops/report/explain.ts';
import type { FailureExplanation, ShownRow } from '../../../loops/report/explanation.ts';
import type { EvidenceSource } from '../../../policies/facts/evidence.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { Finding } from '../../../policies/facts/gate-record.ts';
import { actionLine, isNote, noteOf, personLine } from '../../../policies/facts/next-action.ts';
import { isInSentence } from '../../../policies/report/failure-sentence.ts';
import { printable } from '../../../policies/text/display.ts';
import { locateTask } from '../../../state/task-folder.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { coloursOf, type Paint, type Sheet, sheetOf } from '../../sheet.ts';
import { costOf, costsFor } from '../task-cells.ts';

const SPEC: CommandSpec = {
  name: 'tollgate explain',
  usage: 'TASK [--stage S] [--verbose]',
  about:
    "Explains a task's last failure: what happened, what to do, the evidence, and what was decided. With --verbose also the rule that matched, and what the signature means.",
  flags: {
    stage: { takes: 'text', about: 'explain the last call of this stage' },
    verbose: { takes: 'nothing', about: 'also show the class, the matching rule, the signature and its text' },
  },
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate explain fix-login', 'the last failure, also after a success has resolved it'],
    ['tollgate explain fix-login --verbose', 'also by which rule it was classified'],
    ['tollgate explain fix-login --stage codex_impl --json', "one stage's last call, for another program"],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'explained, or there is nothing to explain'],
    [TOLLGATE_EXIT.badInput, 'no such task or stage, or state that cannot be read'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const explained = await explainTask({
    word: words[0]!,
    stage: text.stage ?? null,
    cwd: process.cwd(),
    environment: process.env,
    clock: () => new Date(),
  });
  switch (explained.how) {
    case 'invalid':
      return { exit: TOLLGATE_EXIT.badInput, err: `tollgate explain: ${explained.message}\n` };
    case 'nothing': {
      const { taskId, message } = explained;
      const answer = { schema: 1, task_id: taskId, of: 'nothing', message };
      return { exit: 0, out: given.has('json') ? `${JSON.stringify(answer)}\n` : `${message}\n` };
    }
    case 'found': {
      const { explanation } = explained;
      if (given.has('json')) return { exit: 0, out: `${JSON.stringify(explanation)}\n` };
      const which = given.has('verbose') ? 'whole' : 'short';
      const sheet = sheetOf(process.env);
      const place = locateTask(words[0]!, process.cwd(), process.env);
      const folder = place.how === 'invalid' ? [] : [{ task_id: place.folder.id, folder: place.folder.root }];
      const costs = await costsFor(sheet, folder);
      const cost = costs && `${costOf(costs)} for the whole task`;
      return { exit: 0, out: renderExplanation(explanation, sheet, which, cost) };
    }
  }
}

/** The words say the same. */
const paintOf = ({ resolved_at, reason }: FailureExplanation): Paint =>
  resolved_at !== null ? 'green' : OTHER_THAN_FAILED[reason ?? ''] === undefined ? 'red' : 'yellow';

/** First the sentence, then the fact and the actions. @param which `whole`: also rule, signature and policy. */
function renderExplanation(
  explanation: FailureExplanation,
  sheet: Sheet,
  which: 'short' | 'whole',
  cost: string | null,
): string {
  const { findings, evidence } = explanation;
  const colours = coloursOf(sheet.ink);
  const { bold, dim, cyan } = colours;
  const notes = explanation.next_actions.filter(isNote);
  const steps = explanation.next_actions
    .filter((action) => !isNote(action))
    .map((action) => printable(sheet.width === null ? actionLine(action) : personLine(action)));
  const paint = colours[paintOf(explanation)];
  // The first finding of a gate is also the evidence.
  const isFinding = findings.some(({ text }) => text === evidence?.text);
  const fact = isFinding ? null : evidenceOf(explanation);
  const rows: [label: string, text: string | null][] = [
    ...notes.map((note): [string, string] => ['note', noteOf(note)]),
    ['decision', explanation.decision && `${explanation.decision.action}: ${explanation.decision.why}`],
    ['seen', seenOf(explanation)],
    ['not before', explanation.retry_at],
    ['cost', cost],
    ['call', explanation.call_id],
    ['class', classOf(explanation, which)],
    ...(which === 'short' ? [] : detailsOf(explanation)),
  ];
  const shown = rows.flatMap(([label, text]) => (text === null ? [] : [{ label, text: printable(text) }]));
  const width = Math.max(...shown.map(({ label }) => label.length));
  const head = [paint(bold(printable(explanation.sentence))), printable(headline(explanation))];
  const blocks = [
    explanation.resolved_at === null ? head : head.reverse(),
    fact === null ? [] : [`${bold('Evidence:')} ${printable(fact)}`],
    listed(bold('The gate found:'), findings.flatMap(findingLines)),
    steps.length === 1
      ? [`${bold('Next:')} ${cyan(steps[0]!)}`]
      : listed(
          bold('Next:'),
          steps.map((step, i) => `${i + 1}. ${i === 0 ? cyan(step) : step}`),
        ),
    shown.map(({ label, text }) => `${dim(label.padEnd(width))}  ${text}`),
  ];
  const page = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${page.join('\n\n')}\n`;
}

const listed = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [title, ...lines]);

const findingLines = ({ check, text, missing }: Finding): string[] => [
  text.startsWith(check) ? `- ${printable(text)}` : `- ${check}: ${printable(text)}`,
  ...missing.filter((name) => !text.includes(name)).map((name) => `  - ${printable(name)}`),
];

const classOf = ({ class: errorClass, reason, meaning }: FailureExplanation, which: 'short' | 'whole'): string =>
  `${errorClass}${reason === null ? '' : ` (${reason})`}${which === 'short' ? '' : `: ${meaning}`}`;

const detailsOf = (explanation: FailureExplanation): [label: string, text: string | null][] => [
  ['policy', policyOf(explanation)],
  ['rule', ruleOf(explanation)],
  ['signature', explanation.signature],
  ['made from', signedOf(explanation)],
];

/** The state by the reason. A run that was stopped, or that refused to begin, has not failed. */
const OTHER_THAN_FAILED: Record<string, string> = {
  cancelled: 'interrupted',
  interrupted: 'interrupted',
  prompt_changed: 'refused',
  not_prepared: 'refused',
};

function headline(explanation: FailureExplanation): string {
  const { task_id, of, stage, tool, at, resolved_at, reason } = explanation;
  const other = OTHER_THAN_FAILED[reason ?? ''];
  const was = other === undefined ? 'failed' : `was ${other}`;
  const had = other === undefined ? 'failed' : `been ${other}`;
  const where = stage === null ? 'before any stage' : `at ${stage}${tool === null ? '' : ` (${tool})`}`;
  const what = `${where}, ${at}.`;
  if (of === 'call') return `A call of ${task_id} ${was} ${what}`;
  if (resolved_at === null) return `${task_id} ${was} ${what}`;
  return `${task_id} has succeeded since, ${resolved_at}. Before, it had ${had} ${what}`;
}

const SOURCES: Record<EvidenceSource, string> = {
  terminal: "the CLI's terminal event",
  ending: 'how the call ended',
  failure: "the CLI's terminal failure event",
  error: "an error event in the CLI's stream",
  stderr: 'a line of stderr',
  exit_code: "the CLI's exit code",
  gate: 'the gate',
  none: 'reported by tollgate',
};

function evidenceOf({ evidence }: FailureExplanation): string | null {
  if (evidence === null || isInSentence(evidence)) return null;
  return `${evidence.text === '' ? 'no text' : evidence.text} [${SOURCES[evidence.source as EvidenceSource] ?? evidence.source}]`;
}

function ruleOf({ rule }: FailureExplanation): string | null {
  if (rule === null) return null;
  const { id, of, row } = rule;
  if (row === null) return `${id}, ${of === null ? 'a rule that no longer exists' : 'which needs no match'}`;
  const whose = of === 'project' ? " (the project's own, of tollgate.yaml)" : '';
  return `${id}${whose}: ${lookedFor(row)} → ${row.class} (${row.reason})`;
}

const MAX_MATCH = 300;

function lookedFor({ kind, looks_for }: ShownRow): string {
  if (kind === 'ending') return 'this ending decides by itself';
  if (looks_for === null) return 'the result when no rule matches';
  const { tool, source, match } = looks_for;
  const of = `${tool === 'any' ? 'any tool' : tool}, ${source === 'any' ? 'anything said' : SOURCES[source]}`;
  const parts = Object.entries(match).map(
    ([name, value]) => `${name} ${Array.isArray(value) ? value.join(' or ') : String(value)}`,
  );
  const sought = parts.join(', and ');
  return `${of}; ${sought.length > MAX_MATCH ? `${sought.slice(0, MAX_MATCH - 1)}…` : sought}`;
}

const SIGNED = {
  stderr: 'error lines of stderr',
  event: "the engine's error event",
  detail: 'how it ended, since the CLI reported nothing',
} as const;

function signedOf({ signature, signed }: FailureExplanation): string | null {
  if (signature === null) return null;
  if (signed === null)
    return 'unknown: the files of the call are gone, or another version of tollgate made the signature';
  return `${signed.normalised} [${SIGNED[signed.source]}]`;
}

/** null for a failure that was met once. */
function seenOf({ seen }: FailureExplanation): string | null {
  if ((seen.in_run ?? 1) <= 1 && (seen.in_life ?? 1) <= 1) return null;
  const parts = [
    ...(seen.in_run === null ? [] : [`${times(seen.in_run)} in this stage and run`]),
    ...(seen.in_life === null
      ? []
      : [`${times(seen.in_life)} in the life of the task, first ${seen.first_seen}, last ${seen.last_seen}`]),
  ];
  return parts.join('; ');
}

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

const ACTS = { retry: 'retry once', retry_digest: 'retry once with a digest', stop: 'stop' } as const;

function policyOf({ class: errorClass, retry }: FailureExplanation): string {
  return `${errorClass} the first time: ${ACTS[retry.first]}; again: ${ACTS[retry.again]}; then: ${retry.report}`;
}
