// What to do about what a gate found: what costs nothing first, and a paid call only where it can come out otherwise.

import type { Finding } from '../facts/gate-record.ts';
import type { Tool } from '../facts/tools.ts';
import { weightiest } from './verdict.ts';

export interface GatedCall {
  taskId: string;
  stage: string;
  tool: Tool;
  /** `none`: the call failed besides, and is made again. */
  answer: 'paid' | 'none';
  /** How many paths were put back. */
  restored: number;
  /** The file with the answer. */
  answerFile: string;
  /** `<file>:<line>` of a field of the stage, or of the line that would hold it; or what is to be written for it. */
  place(field: 'requires' | 'min_lines' | 'on_fail' | 'may_be_empty' | 'schema' | 'acceptance' | 'scope'): string;
  /** Who makes what this stage judges. null: nobody before it writes, or it writes itself. */
  writer: WayOutWriter | null;
  /** Whose answers are about earlier work of the writer, which has answered since; empty where the judge's is not. */
  outdated: readonly string[];
  /** Of the task's paid calls. */
  budget: { used: number; total: number };
}

export interface WayOutWriter {
  stage: string;
  tool: Tool;
  /** Stages after it, up to this one, whose prompts hold what would be another answer. */
  after: string[];
}

/** Lines to type, or one sentence each: of the weightiest finding, and the way out of it, before those of the others. */
export function gateNextActions(findings: readonly Finding[], call: GatedCall): string[] {
  const first = weightiest(findings);
  if (first === undefined) return [];
  const others = findings.filter((finding) => finding !== first);
  if (first.reason === 'out_of_scope' && call.restored > 0)
    return [`tollgate run ${call.taskId} (what was out of scope is put back; looks at the answer again, pays nothing)`];
  const wayOut =
    call.answer === 'none' ? [`${paidRun(call, 1)} (asks ${call.tool} again)`] : WAY_OUT[first.reason](call);
  return [...new Set([...first.next_actions, ...wayOut, ...others.flatMap((finding) => finding.next_actions)])];
}

/** A run that the budget would refuse begins with the line that raises it. */
export function paidRun(
  { taskId, budget: { used, total } }: Pick<GatedCall, 'taskId' | 'budget'>,
  calls: number,
): string {
  const needed = used + calls;
  return `${needed > total ? `tollgate budget ${taskId} --set ${needed} && ` : ''}tollgate run ${taskId}`;
}

const redoing = (call: GatedCall, stages: readonly string[]): string =>
  `${paidRun(call, stages.length)} ${stages.map((stage) => `--redo ${stage}`).join(' ')}`;

const callWords = (count: number): string => (count === 1 ? 'one paid call' : `${count} paid calls`);

const asksAgain = (call: GatedCall): string =>
  `${redoing(call, [call.stage])} (asks ${call.tool} again, for one paid call)`;

/** The same prompt is mostly answered the same way. */
const otherwise = (call: GatedCall): string => `ask again, best with another \`model\` or \`tool\`: ${asksAgain(call)}`;

/** What lets through what the gate did not: never first, and for the user to decide. */
const weakens = (line: string): string => `only if the user decides so, since it weakens the gate: ${line}`;

const looksAgain = ({ taskId }: GatedCall): string =>
  `tollgate run ${taskId} (looks at the answer again, pays nothing)`;

const keeps = ({ taskId, stage }: GatedCall): string =>
  `tollgate run ${taskId} --keep ${stage} (looks at the answer again, pays nothing)`;

/** The stage that writes does it, with what was found for its context; who judges has nothing to mend. */
function writerMends(call: GatedCall, given: string): string[] {
  const { stage, writer } = call;
  if (writer === null) return [];
  const names = [writer.stage, ...writer.after];
  const judged = writer.after.includes(stage) ? '' : `; ${stage} then looks again, and pays nothing`;
  return [
    `or let ${writer.stage} mend it: ${redoing(call, names)} (its prompt is given ${given}; ${callWords(names.length)}${judged})`,
  ];
}

/** The writer was paid for since, and who judges was not asked about that. */
const judgesNewWork = (call: GatedCall): string[] => [
  `${redoing(call, call.outdated)} (this verdict is about earlier work: ${call.writer?.stage} has answered since; ${callWords(call.outdated.length)})`,
];

/** A run looks anew at an answer that is paid for, so where a person can mend what was found, nothing need be asked again. */
const WAY_OUT: Record<Finding['reason'], (call: GatedCall) => string[]> = {
  out_of_scope: (call) => [
    `when they are taken back: ${looksAgain(call)}`,
    `only if the user decides so, since it widens the scope: once ${call.place('scope')} allows them: tollgate run ${call.taskId} --keep ${call.stage} (likewise)`,
  ],
  judge_changed: (call) => [looksAgain(call)],
  acceptance_failed: (call) => [
    `mend what fails, then: tollgate run ${call.taskId} (runs the commands again, pays nothing)`,
    ...writerMends(call, 'the end of that log'),
    weakens(
      `if a command itself is wrong, mend it (${call.place('acceptance')}), then: tollgate run ${call.taskId} --keep ${call.stage} (runs the commands again, pays nothing)`,
    ),
  ],
  verdict_fail: (call) =>
    call.outdated.length > 0
      ? judgesNewWork(call)
      : [
          `read the findings in ${call.answerFile}`,
          ...writerMends(call, 'those findings'),
          `or mend what they name, and have it judged again: ${asksAgain(call)}`,
        ],
  verdict_missing: (call) =>
    call.outdated.length > 0
      ? judgesNewWork(call)
      : [
          otherwise(call),
          weakens(
            `read ${call.answerFile}; if its judgement is clear, put PASS or FAIL, alone, on the first line of its section "Verdict", then: ${looksAgain(call)}`,
          ),
          weakens(
            `let it pass without a verdict (\`on_fail: note\` of the stage, ${call.place('on_fail')}), then: ${looksAgain(call)}`,
          ),
        ],
  missing_sections: (call) => [
    otherwise(call),
    weakens(
      `if what was asked for is in ${call.answerFile} under another heading, put the right headings there, then: ${looksAgain(call)}`,
    ),
    weakens(`require other headings (\`requires\` of the stage, ${call.place('requires')}), then: ${keeps(call)}`),
  ],
  too_short: (call) => [
    otherwise(call),
    weakens(
      `if ${call.answerFile} is enough, lower \`min_lines\` of the stage (${call.place('min_lines')}), then: ${keeps(call)}`,
    ),
  ],
  not_json: (call) => [
    otherwise(call),
    weakens(`if all of it is in ${call.answerFile}, leave nothing but the JSON there, then: ${looksAgain(call)}`),
  ],
  schema_mismatch: (call) => [
    otherwise(call),
    weakens(`if little is wrong, mend it in ${call.answerFile}, then: ${looksAgain(call)}`),
    weakens(`mend the schema (${call.place('schema')}), then: ${keeps(call)}`),
  ],
  schema_unchecked: (call) => [`once the schema is mended (${call.place('schema')}): ${keeps(call)}`],
  no_change: (call) => [
    `say in inputs/user_request.md what is to be changed: ${asksAgain(call)}`,
    weakens(
      `if there may be nothing to change, say \`may_be_empty: true\` in the stage (${call.place('may_be_empty')}), then: ${looksAgain(call)}`,
    ),
  ],
  no_diff: (call) => [
    `read ${call.answerFile}; the prompt asked for one unified diff in a \`\`\`diff block`,
    asksAgain(call),
    `only if the user decides so: let it write itself (\`access: write\` in the stage): ${asksAgain(call)}`,
  ],
  diff_does_not_apply: (call) => [
    `if the tree was what did not fit: tollgate run ${call.taskId} (tries the diff again, pays nothing)`,
    otherwise(call),
    weakens(`if little is wrong with the diff, mend it in ${call.answerFile}, then the first line`),
  ],
  diff_leaves_tree: (call) => [otherwise(call)],
  diff_unclear: (call) => [otherwise(call)],
  diff_unchecked: (call) => [`then: tollgate run ${call.taskId} (tries the diff again, pays nothing)`],
  refusal: (call) => [asksAgain(call)],
  answer_unreadable: (call) => [
    `if ${call.answerFile} can be put back: ${looksAgain(call)}`,
    `else: ${asksAgain(call)}`,
  ],
};
