// Renders the report of all tasks as JUnit XML: a task is a suite, and its stages are the cases.

import type { TasksReport } from '../../../loops/report/collect.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import type { RecordedStage } from '../../../loops/task/stage-facts.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
import { markupText } from '../../../policies/report/inert-text.ts';
import { standInWords } from '../../../policies/verdict/stand-ins.ts';

/** `failure`: a gate did not pass. `error`: the call failed. `skipped`: no error is known, but the stage is not done. */
interface Case {
  name: string;
  seconds: number;
  wrong: { how: 'failure' | 'error' | 'skipped'; type: string; message: string } | null;
  /** One entry for each line. */
  out: readonly string[];
}

export function renderJunit({ tasks, unreadable }: TasksReport): string {
  const suites = [
    ...tasks.map((row) => ({ name: row.task_id, at: row.checked_at ?? row.at, cases: casesOf(row) })),
    ...unreadable.map(({ folder, message }) => ({
      name: folder,
      at: null,
      cases: [caseOf('(task)', { how: 'error', type: 'unreadable', message })],
    })),
  ];
  const all = suites.flatMap(({ cases }) => cases);
  const lines = suites.flatMap(({ name, at, cases }) => [
    `<testsuite ${attributes({ name, ...counts(cases), ...(at === null ? {} : { timestamp: at.slice(0, 19) }) })}>`,
    ...cases.map((one) => caseLine(name, one)),
    '</testsuite>',
  ]);
  const head = `<testsuites ${attributes({ name: 'tollgate', ...counts(all) })}>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${[head, ...lines, '</testsuites>'].join('\n')}\n`;
}

function casesOf(row: TaskRow): Case[] {
  const isTold = row.stages.some(({ stage, class: errorClass }) => stage === row.stage && errorClass !== null);
  const failed = row.class === null || isTold ? null : failureCase(row);
  // A stage that was stopped does not record why; its task does.
  const cases = row.stages.map((facts) =>
    facts.stage === failed?.name ? { ...stageCase(facts), wrong: failed.wrong } : stageCase(facts),
  );
  if (failed !== null && !cases.some(({ name }) => name === failed.name)) cases.push(failed);
  if (cases.length === 0)
    cases.push(caseOf('(task)', { how: 'skipped', type: row.state, message: row.state.replace('_', ' ') }));
  return cases;
}

function failureCase(row: TaskRow): Case {
  // A gate over the whole run, such as --fail-on-verdict, finds a stage wrong whose call has succeeded.
  const isDone = row.stages.some(({ stage, gate }) => stage === row.stage && gate === 'passed');
  const how = row.state === 'interrupted' ? 'skipped' : isDone ? 'failure' : 'error';
  const message = messageOf(row.sentence!, row.evidence);
  return caseOf(row.stage ?? '(task)', { how, type: typeOf(row), message });
}

const messageOf = (sentence: string, evidence: string | null): string =>
  evidence === null ? sentence : `${sentence} ${evidence}`;

const caseOf = (name: string, wrong: Case['wrong']): Case => ({ name, seconds: 0, wrong, out: [] });

function stageCase(facts: RecordedStage): Case {
  const { stage, stand_ins, state, duration_ms, gate, verdict, evidence, checked_at, checked_by, lacks } = facts;
  const wrong: Case['wrong'] =
    facts.class !== null
      ? {
          how: gate === 'failed' ? 'failure' : 'error',
          type: typeOf(facts),
          message: messageOf(failureSentence({ ...facts, class: facts.class }), evidence?.text ?? null),
        }
      : state === 'done_earlier'
        ? null
        : { how: 'skipped', type: state, message: state.replace('_earlier', '') };
  const out = [
    ...stand_ins.map(standInWords),
    ...(verdict === null ? [] : [`its verdict is ${verdict}`]),
    ...lacks.map((lack) => `warning: ${lack}`),
    ...(checked_by === 'earlier_run' ? [`this is the result of an earlier run, of ${checked_at}`] : []),
  ];
  return { name: stage, seconds: (duration_ms ?? 0) / 1000, wrong, out };
}

const typeOf = ({ class: errorClass, reason }: { class: string | null; reason: string | null }): string =>
  reason === null ? errorClass! : `${errorClass}/${reason}`;

function caseLine(suite: string, { name, seconds, wrong, out }: Case): string {
  const head = attributes({ name, classname: suite, time: seconds.toFixed(3) });
  const children = [
    ...(wrong === null ? [] : [`<${wrong.how} ${attributes({ type: wrong.type, message: line(wrong.message) })}>`]),
    ...(wrong === null ? [] : [`${markupText(wrong.message)}</${wrong.how}>`]),
    ...(out.length === 0 ? [] : [`<system-out>${markupText(out.join('\n'))}</system-out>`]),
  ];
  return children.length === 0 ? `<testcase ${head}/>` : `<testcase ${head}>${children.join('')}</testcase>`;
}

/** XML readers replace a line end within an attribute by a space. */
const line = (text: string): string => text.split('\n', 1)[0]!;

function counts(cases: readonly Case[]) {
  const count = (how: string) => String(cases.filter(({ wrong }) => wrong?.how === how).length);
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  return {
    tests: String(cases.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds.toFixed(3),
  };
}

const attributes = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${markupText(value)}"`)
    .join(' ');
