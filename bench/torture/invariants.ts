// Checks what must be true of a task after a round, whatever struck it.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isTemporary } from '../../loops/run/temporaries.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { budgetOf, type Call, type Ledger } from '../../state/journal/ledger.ts';
import { isJson } from '../../test/rig/is-json.ts';
import type * as rig from './rig.ts';
import { readdirOr, textOr } from './rig.ts';
import type { Seen, World } from './world.ts';

export const VIOLATIONS = {
  ...{ lost: 'lost', double: 'double', overrun: 'overrun', survivors: 'survivors', unreadable: 'unreadable' },
  ...{ unrecorded: 'unrecorded', unwell: 'unwell', leftovers: 'leftovers' },
};
export type Violation = rig.Violation<keyof typeof VIOLATIONS>;

export interface Expected {
  /** The stages of the task in order, with the names of the report and their tools. */
  stages: { name: string; tool: string }[];
  /** The number of allowed extra calls, besides one for each stage: one for each strike, and one for each failed agent. */
  excused: number;
}

export function checkTask(task: string, expected: Expected, seen: readonly Seen[], world: Pick<World, 'answerOf'>) {
  const violations: Violation[] = [];
  const say = (what: Violation['what'], why: string) =>
    void violations.push({ what, why: `${path.basename(task)}: ${why}` });
  for (const file of unreadable(task)) say('unreadable', file);
  const ledger = ledgerOf(task, say);
  if (ledger === null) return { violations, granted: 0, started: 0 };
  const granted = [...ledger.calls.values()].filter((call) => call.granted);
  checkMoney(ledger, granted, seen, say);
  checkViews(ledger, task, say);
  checkCalls(granted, task, say);
  checkStages(granted, expected, task, seen, world, say);
  for (const file of readdirOr(task, 'recursive').filter((name) => isTemporary(path.basename(name))))
    say('leftovers', file);
  if (ledger.run !== null) say('unrecorded', `run ${ledger.run.run_id} was never released`);
  if (!existsSync(path.join(task, 'outputs/_summary.md'))) say('unrecorded', 'no _summary.md');
  return { violations, granted: granted.length, started: granted.filter(({ started }) => started !== null).length };
}

type Say = (what: Violation['what'], why: string) => void;

function ledgerOf(task: string, say: Say): Ledger | null {
  try {
    return openJournal(task, () => new Date()).read().ledger;
  } catch (error) {
    say('unreadable', (error as Error).message);
    return null;
  }
}

function checkMoney(ledger: Ledger, granted: readonly Call[], seen: readonly Seen[], say: Say): void {
  const ids = new Set(granted.map(({ reserved }) => reserved.call_id));
  const refused = new Set([...ledger.calls.keys()].filter((id) => !ids.has(id)));
  const begun = seen.filter(({ what, id }) => what === 'begun' && ledger.calls.has(id)).map(({ id }) => id);
  if (new Set(begun).size < begun.length) say('double', `a call asked twice: ${begun.join(' ')}`);
  for (const id of begun) if (refused.has(id)) say('overrun', `${id} was refused and asked all the same`);
  if (ledger.used > budgetOf(ledger)) say('overrun', `${ledger.used} used of ${budgetOf(ledger)}`);
}

function checkViews(ledger: Ledger, task: string, say: Say): void {
  const text = textOr(path.join(task, 'state/stats.json'));
  const used = isJson(text) ? (JSON.parse(text) as { paid_calls_used?: number }).paid_calls_used : undefined;
  if (used !== ledger.used) say('unrecorded', `stats.json says ${used} calls, the journal ${ledger.used}`);
}

function checkCalls(granted: readonly Call[], task: string, say: Say): void {
  const summary = textOr(path.join(task, 'outputs/_summary.md'));
  for (const { reserved, started, ended, verdict } of granted) {
    const { call_id } = reserved;
    if (verdict === null) say('unrecorded', `${call_id} has no verdict`);
    if (ended?.ending === 'lost' && verdict?.reason === 'interrupted' && !summary.includes(call_id))
      say('unrecorded', `${call_id} was lost in flight, and the summary does not say so`);
    const isRecorded = readdirOr(path.join(task, 'outputs')).some(
      (name) => name.endsWith('.call.json') && readFileSync(path.join(task, 'outputs', name), 'utf8').includes(call_id),
    );
    const own = path.join(task, 'state/attempts', call_id, 'record.json');
    if (
      started !== null &&
      !isRecorded &&
      !existsSync(own) &&
      verdict?.reason !== 'interrupted' &&
      reserved.run_id !== null
    )
      say('unrecorded', `${call_id} has no record`);
  }
}

function checkStages(
  granted: readonly Call[],
  { stages, excused }: Expected,
  task: string,
  seen: readonly Seen[],
  { answerOf }: Pick<World, 'answerOf'>,
  say: Say,
): void {
  let more = -stages.length;
  for (const { name, tool } of stages) {
    const calls = new Set(
      granted
        .filter(({ reserved }) => reserved.stage === name && reserved.run_id !== null)
        .map(({ reserved }) => reserved.call_id),
    );
    const own = seen.filter(({ id }) => calls.has(id));
    more += own.filter(({ what }) => what === 'begun').length;
    const first = own.findIndex(({ what }) => what === 'answered');
    const again = own.slice(first + 1).filter(({ what }) => what === 'begun');
    if (first !== -1 && again.length > 0)
      say(
        'double',
        `${name} was answered by ${own[first]!.id} and asked again: ${again.map(({ id }) => id).join(' ')}`,
      );
    const out = path.join(task, 'outputs', `${name}.${tool}.out`);
    const text = existsSync(out) ? readFileSync(out, 'utf8') : null;
    const answered = own.filter(({ what }) => what === 'answered').map(({ id }) => id);
    if (text === null) say('lost', `${name} has no answer`);
    else if (![...calls].some((id) => text === answerOf(id)))
      say('lost', `${name} has another answer: ${text.slice(0, 80)}`);
    else if (answered.length > 0 && !answered.some((id) => text === answerOf(id)))
      say(
        'lost',
        `${name} was answered by ${answered.join(' ')}, and that is not what stands there: ${text.slice(0, 80)}`,
      );
    if (!existsSync(path.join(task, 'done', `${name}.done`))) say('unwell', `${name} has no .done`);
  }
  if (more > excused) say('double', `${more} calls more than stages, where ${excused} are excused`);
}

/** State that does not parse; the journal's own reader reports half lines. */
const unreadable = (task: string): string[] =>
  readdirOr(task, 'recursive')
    .filter((name) => name.endsWith('.json') && !name.includes('attempts/'))
    .filter((name) => !isJson(textOr(path.join(task, name))));

/** Checks wrappers without a task: leftovers of killed ones are swept, answers are published or kept, folders removed. */
export function checkAlone({ root, project, env, answerOf }: World, seen: readonly Seen[]): Violation[] {
  const violations: Violation[] = [];
  const outs = readdirOr(project).filter((name) => name.endsWith('.out'));
  const texts = outs.map((name) => textOr(path.join(project, name)));
  const ids = seen.filter(({ what }) => what === 'begun').map(({ id }) => id);
  if (new Set(ids).size < ids.length) violations.push({ what: 'double', why: `a call asked twice: ${ids.join(' ')}` });
  // No command repeats such a call, so each answer that was on disk must be in its place.
  for (const { what, id } of seen)
    if (what === 'answered' && !texts.includes(answerOf(id)))
      violations.push({ what: 'lost', why: `${id} was answered, and that is in none of ${outs.join(' ')}` });
  const register = registerOf(env);
  // A wrapper that was killed before it could register itself leaves an empty $TMPDIR, which goes after a day.
  const isOfBegun = (name: string) => ids.some((id) => name.includes(id.slice(-8)));
  const left = [
    ...readdirOr(register).map((name) => `${register}/${name}`),
    ...readdirOr(project).filter((name) => name.startsWith('.') && name !== '.tmp'),
    ...readdirOr(path.join(root, 'tmp')).filter((name) => name.startsWith('tg-') && isOfBegun(name)),
  ];
  return [...violations, ...left.map((why) => ({ what: 'leftovers', why }) as const)];
}

export const registerOf = ({ HOME }: World['env']): string => path.join(HOME!, '.local/state/tollgate/calls');
