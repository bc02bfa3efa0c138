// Gives next actions for a gate's findings: free ones first, and a paid call only if its result can differ.

import type { Finding } from '../facts/gate-record.ts';
import {
  type CalledAs,
  forUser,
  goOnLine,
  inOrder,
  type NextAction,
  taskLine,
  toDo,
  toType,
} from '../facts/next-action.ts';
import type { Tool } from '../facts/tools.ts';
import { weightiest } from './gate-verdict.ts';

export interface GatedCall {
  called: CalledAs;
  stage: string;
  tool: Tool;
  /** `none`: the call itself failed too, and is repeated. */
  answer: 'paid' | 'none';
  /** A run that pays for nothing checked the answer again. The next run will do the same, whatever the prompt is by then. */
  rechecks: boolean;
  /**
   * What was restored. `some`: all that is out of scope. `not_all`: not even that, or nothing was restored; a later --restore
   * cannot restore it either.
   */
  restored: 'none' | 'not_all' | 'some' | 'all';
  answerFile: string;
  /** `<file>:<line>` of a field of the stage, or of the line that would contain it; or the text to write for it. */
  place(field: 'requires' | 'min_lines' | 'on_fail' | 'may_be_empty' | 'schema' | 'acceptance' | 'scope'): string;
  /** The stage whose work this stage judges; null if no stage before it writes, or if it writes itself. */
  writer: Writer | null;
  /** The stages whose answers judge earlier work of a writer that answered since; empty if this one is current. */
  outdated: readonly string[];
  /** The task's paid calls. */
  budget: { used: number; total: number };
}

export interface Writer {
  stage: string;
  tool: Tool;
  /** The stages after it, up to this one, whose prompts would contain its new answer. */
  after: string[];
}

/** Lists the most serious finding and its next actions before those of the others. */
export function gateNextActions(findings: readonly Finding[], call: GatedCall): NextAction[] {
  const first = weightiest(findings);
  if (first === undefined) return [];
  const others = findings.filter((finding) => finding !== first);
  if (first.reason === 'out_of_scope' && call.restored === 'some')
    return [looksAgain(call, 'the changes out of scope are reverted:')];
  if (first.reason === 'out_of_scope' && call.restored === 'all')
    return [
      asksAgain(call, 'all changes were out of scope, and are reverted: '),
      looksAgain(call, 'or, if the stage needs no change,'),
    ];
  const wayOut = call.answer === 'none' ? [paidRun(call, 1, `call ${call.tool} again`)] : WAY_OUT[first.reason](call);
  return inOrder([...first.next_actions, ...wayOut, ...others.flatMap((finding) => finding.next_actions)]);
}

/** If the budget would refuse a run, the list begins with the command that raises the budget. */
export function paidRun(
  { called, budget: { used, total } }: { called: CalledAs; budget: { used: number; total: number } },
  calls: number,
  text: string,
  ...flags: string[]
): NextAction {
  const needed = used + calls;
  const run = goOnLine(called, ...flags);
  if (needed <= total) return toType(text, run, 'pays');
  const raise = taskLine(called, 'budget', `--set ${needed}`);
  return forUser('budget', toType(`raise the limit, and ${text}`, `${raise} && ${run}`, 'pays'));
}

const redoing = (call: GatedCall, stages: readonly string[], text: string): NextAction =>
  paidRun(call, stages.length, text, ...stages.map((stage) => `--redo ${stage}`));

const callWords = (count: number): string => (count === 1 ? 'one paid call' : `${count} paid calls`);

/** Only if there is an answer that can be checked again. */
const restores = ({ called, answer, restored }: GatedCall): NextAction[] =>
  answer !== 'paid' || called.verb !== 'run' || restored !== 'none'
    ? []
    : [toType('or restore the files, and check again (free)', goOnLine(called, '--restore'))];

const asksAgain = (call: GatedCall, before = ''): NextAction =>
  redoing(call, [call.stage], `${before}call ${call.tool} again, for one paid call`);

/** The same prompt usually gets the same answer. */
const otherwise = (call: GatedCall): NextAction =>
  redoing(
    call,
    [call.stage],
    `call ${call.tool} again, best with another \`model\` or \`tool\` in the stage, for one paid call`,
  );

/** The same run may also call stages that are not done. */
const looksAgain = ({ called, rechecks }: GatedCall, when: string, what = 'check the answer again'): NextAction =>
  toType(`${when} ${what} (free)`, goOnLine(called, ...(rechecks ? ['--recheck'] : [])));

const keeps = ({ called, stage, rechecks }: GatedCall, when: string, what = 'check the answer again'): NextAction =>
  toType(`${when}, and ${what} (free)`, goOnLine(called, rechecks ? '--recheck' : `--keep ${stage}`));

/** The stage that writes fixes it, with the findings as its context. The stage that judges has nothing to fix. */
function writerMends(call: GatedCall, given: string): NextAction[] {
  const { stage, writer } = call;
  if (writer === null) return [];
  const names = [writer.stage, ...writer.after];
  const judged = writer.after.includes(stage) ? '' : `; ${stage} then checks again for free`;
  const costs = `its prompt gets ${given}; ${callWords(names.length)}${judged}`;
  return [redoing(call, names, `let ${writer.stage} fix it (${costs})`)];
}

/** The writer has made new work since, which the judge has not seen. */
const judgesNewWork = (call: GatedCall): NextAction[] => [
  redoing(
    call,
    call.outdated,
    `have the new work checked: this verdict is about earlier work, because ${call.writer?.stage} has answered again (${callWords(call.outdated.length)})`,
  ),
];

/** A run checks a paid answer again. So if a person can fix the finding, no new call is needed. */
const WAY_OUT: Record<Finding['reason'], (call: GatedCall) => NextAction[]> = {
  out_of_scope: (call) => [
    looksAgain(call, 'when these changes are reverted,'),
    ...restores(call),
    forUser('scope', keeps(call, `allow these changes (${call.place('scope')})`)),
  ],
  judge_changed: (call) => [looksAgain(call, 'when you have reviewed the changes,')],
  acceptance_failed: (call) => [
    looksAgain(call, 'fix what fails, then', 'run the acceptance commands again'),
    ...writerMends(call, 'the end of that log'),
    forUser(
      'gate',
      keeps(
        call,
        `if a command itself is wrong, change it (${call.place('acceptance')})`,
        'run the acceptance commands again',
      ),
    ),
  ],
  verdict_fail: (call) =>
    call.outdated.length > 0
      ? judgesNewWork(call)
      : [
          toDo(`read the findings in ${call.answerFile}`),
          ...writerMends(call, 'those findings'),
          redoing(
            call,
            [call.stage],
            `fix what they name, and have it checked again by ${call.tool}, for one paid call`,
          ),
        ],
  verdict_missing: (call) =>
    call.outdated.length > 0
      ? judgesNewWork(call)
      : [
          otherwise(call),
          forUser(
            'gate',
            looksAgain(
              call,
              `read ${call.answerFile}, write PASS or FAIL alone on the first line of its section "Verdict" if its judgement is clear, then`,
            ),
          ),
          forUser(
            'gate',
            looksAgain(
              call,
              `accept it without a verdict (\`on_fail: note\` of the stage, ${call.place('on_fail')}), then`,
            ),
          ),
        ],
  missing_sections: (call) => [
    otherwise(call),
    forUser(
      'gate',
      looksAgain(
        call,
        `if the requested content is in ${call.answerFile} under another heading, correct the headings there, then`,
      ),
    ),
    forUser('gate', keeps(call, `require other headings (\`requires\` of the stage, ${call.place('requires')})`)),
  ],
  too_short: (call) => [
    otherwise(call),
    forUser(
      'gate',
      keeps(call, `if ${call.answerFile} is enough, lower \`min_lines\` of the stage (${call.place('min_lines')})`),
    ),
  ],
  not_json: (call) => [
    otherwise(call),
    forUser(
      'gate',
      looksAgain(call, `if all of it is in ${call.answerFile}, remove everything but the JSON there, then`),
    ),
  ],
  schema_mismatch: (call) => [
    otherwise(call),
    forUser('gate', looksAgain(call, `if little is wrong, fix it in ${call.answerFile}, then`)),
    forUser('gate', keeps(call, `change the schema (${call.place('schema')})`)),
  ],
  schema_unchecked: (call) => [keeps(call, `fix the schema (${call.place('schema')})`)],
  no_change: (call) => [
    asksAgain(call, 'state in inputs/user_request.md what to change, then '),
    forUser(
      'gate',
      looksAgain(
        call,
        `if there may be nothing to change, set \`may_be_empty: true\` in the stage (${call.place('may_be_empty')}), then`,
      ),
    ),
  ],
  no_diff: (call) => [
    toDo(`read ${call.answerFile}; the prompt requires one unified diff in a \`\`\`diff block`),
    asksAgain(call),
    forUser('scope', asksAgain(call, 'let it change the files itself (`access: write` in the stage): ')),
  ],
  diff_does_not_apply: (call) => [
    looksAgain(call, 'if the tree was wrong,', 'try the diff again'),
    otherwise(call),
    forUser(
      'gate',
      looksAgain(call, `if little is wrong with the diff, fix it in ${call.answerFile}, then`, 'try the diff again'),
    ),
  ],
  diff_leaves_tree: (call) => [otherwise(call)],
  diff_unclear: (call) => [otherwise(call)],
  diff_unchecked: (call) => [looksAgain(call, 'when that is fixed,', 'try the diff again')],
  refusal: (call) => [asksAgain(call)],
  answer_unreadable: (call) => [looksAgain(call, `if ${call.answerFile} can be put back,`), asksAgain(call, 'else ')],
};

/** Finds the stage whose work a stage judges, and which stages a new answer of that writer affects. */
export interface StageInLine {
  name: string;
  tool: Tool;
  role: string;
  /** The stage may write, and must leave a change. */
  writes: boolean;
  /** Roles whose answers are included in its prompt. */
  reads: readonly string[];
}

/** Returns the stage itself if it writes; null if no stage up to it writes. @param line the task's stages, in order. */
export function writerOf(line: readonly StageInLine[], stage: string): Writer | null {
  const until = line.slice(0, line.findIndex(({ name }) => name === stage) + 1);
  const writer = until.findLast(({ writes }) => writes);
  if (writer === undefined) return null;
  const changed = new Set([writer.role]);
  const after: string[] = [];
  for (const one of until.slice(until.indexOf(writer) + 1)) {
    if (!one.reads.some((role) => changed.has(role))) continue;
    after.push(one.name);
    changed.add(one.role);
  }
  return { stage: writer.name, tool: writer.tool, after };
}

/**
 * Returns the stages up to the judge that answered before the writer's last answer, and so do not know its new work. Empty if the
 * judge has seen it.
 * @param answered stages in the order of their last answers.
 */
export function outdatedBy(writer: Writer, judge: string, answered: readonly string[]): string[] {
  const before = answered.slice(0, Math.max(0, answered.indexOf(writer.stage)));
  if (!before.includes(judge)) return [];
  return [...new Set([...writer.after, judge])].filter((stage) => before.includes(stage));
}
