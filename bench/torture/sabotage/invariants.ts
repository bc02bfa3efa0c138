// Checks what must be true after a round of sabotage; each invariant is a function of the evidence.

import path from 'node:path';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { isJson } from '../../../test/rig/is-json.ts';
import { endShown, isWell } from '../command.ts';
import { answerOf, type Violation } from '../rig.ts';
import type { Command, Done, Evidence } from './evidence.ts';
import { BUDGET, type Caller, type SabotageWorld, type Seen } from './world.ts';

type Places = Pick<SabotageWorld, 'root' | 'project' | 'stolen'>;

/** Each returns a sentence for every violation. */
export const INVARIANTS = {
  /** A command that did not end by itself. */
  hangs: ({ commands }) => commands.filter(({ hung }) => hung).map(shown),
  /** An exit code that is not published, or a stack trace of tollgate. */
  bugs: ({ commands }) => commands.filter((one) => !one.hung && !isWell(one)).map(shown),
  /**
   * The bytes of a file on which a stage depends, or lines of its journal, are neither in place nor where the run reports them.
   */
  originals: lostOriginals,
  /** What an agent put in place of such a file was deleted, not moved aside. */
  intruders: lostIntruders,
  /** A user's file outside the project has changed. */
  touched: ({ person: { before, after } }) =>
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((file) => before.get(file) !== after.get(file))
      .map((file) => `${file} was ${before.get(file) ?? 'not there'}, is ${after.get(file) ?? 'gone'}`),
  /** A command that an agent wrote into a manifest was run. */
  ran: ({ ran, done }) => (ran && !done.some(isLate) ? ['a command of an edited manifest was run'] : []),
  lost: lostAnswers,
  double: paidTwice,
  overrun: overBudget,
  survivors: ({ survivors }) => survivors,
  unreadable: unreadableState,
  /** A process of tollgate used more memory than a bounded reader may. */
  bloated: ({ commands }) =>
    commands
      .filter(({ maxRssMib }) => maxRssMib > MAX_RSS_MIB)
      .map(({ command, as, maxRssMib }) => `${command} (${as}) took ${maxRssMib.toFixed(0)} MiB`),
  /** A run is refused because of a replacement that is still in place, and its message does not name it. */
  unnamed: refusedUnnamed,
} as const satisfies Record<string, (evidence: Evidence, places: Places) => string[]>;

export type SabotageViolation = Violation<keyof typeof INVARIANTS>;

export function violationsOf(evidence: Evidence, places: Places): SabotageViolation[] {
  const names = Object.keys(INVARIANTS) as (keyof typeof INVARIANTS)[];
  return names.flatMap((what) => INVARIANTS[what](evidence, places).map((why) => ({ what, why })));
}

const MAX_RSS_MIB = 350;

const shown = (one: Command): string => `(${one.as}) ${endShown(one)}`;

/** Then no agent works any more, so only that commands end is promised. */
const isLate = ({ act }: Done): boolean => act.moment === 'late';

const isWithin = (folder: string, file: string): boolean => file === folder || file.startsWith(`${folder}/`);

const journalOf = ({ project }: Places, name: 'a' | 'b'): string =>
  path.join(project, '.tmp/task', name, 'state/journal.jsonl');

/** Acts of an agent of task a in a call that a run guards: a wrapper called by hand has no gate. */
const guarded = ({ plan, done }: Evidence): Done[] =>
  plan.kind === 'wrapper' ? [] : done.filter((one) => one.call !== null && !isLate(one) && one.act.caller !== 'other');

function lostOriginals(evidence: Evidence, places: Places): string[] {
  const { texts } = evidence.files.main;
  const reported = wordsOf(evidence);
  const all = [...texts];
  const unguarded = evidence.done.filter(isLate);
  const isTheirs = (file: string) => unguarded.some(({ place }) => place !== null && isWithin(place, file));
  return guarded(evidence).flatMap(({ originals, journals, place, call }) => {
    if (place === null) return [];
    const lost = [...originals].filter(
      ([file, bytes]) =>
        texts.get(file)?.equals(bytes) !== true &&
        !isTheirs(file) &&
        !all.some(
          ([other, theirs]) =>
            theirs.equals(bytes) &&
            (isWithin(places.stolen, other) ||
              reported.includes(path.basename(other)) ||
              reported.includes(path.relative(places.project, other))),
        ),
    );
    const now = texts.get(journalOf(places, 'a'))?.toString('utf8').split('\n') ?? [];
    const kept = new Set(now.map(factOf));
    const missing = (isTheirs(journalOf(places, 'a')) ? [] : journals.a).filter(
      (line) => !kept.has(factOf(line)) && !isOfItsStart(line, call),
    );
    return [
      ...lost.map(([file]) => `${path.relative(places.root, file)} is neither in place nor reported as set aside`),
      ...missing.map((line) => `a line of the journal is gone: ${line.slice(0, 160)}`),
    ];
  });
}

/** A removed reservation is written again, at another time and by the dispatcher. */
function factOf(line: string): string {
  try {
    const { at, ...fact } = JSON.parse(line) as Record<string, unknown>;
    const { call_id, run_id, stage } = fact;
    return JSON.stringify(fact.fact === 'reserved' ? { call_id, run_id, stage } : fact);
  } catch {
    return line;
  }
}

/** Only the guardian knows when its CLI began, and it writes that once. */
const isOfItsStart = (line: string, call: string | null): boolean =>
  call !== null && line.includes('"started"') && line.includes(call);

/** The output of the main command, and the summary. */
function wordsOf({ commands, files }: Evidence): string {
  const main = commands.filter(({ as }) => as === 'main').map(({ stdout, stderr }) => stdout + stderr);
  const summaries = [...files.main.texts]
    .filter(([file]) => file.endsWith('_summary.md'))
    .map(([, text]) => text.toString('utf8'));
  return [...main, ...summaries].join('\n');
}

function lostIntruders(evidence: Evidence, places: Places): string[] {
  const ids = new Set(evidence.files.main.ids.values());
  // What a later act of the round removed is not lost by tollgate.
  const taken = ({ place }: Done, i: number, all: readonly Done[]) =>
    all.slice(i + 1).some((later) => later.place === place);
  return guarded(evidence).flatMap((one, i, all) => {
    const { act, place, intruder, originals } = one;
    if (taken(one, i, all)) return [];
    const isJudged = place !== null && (originals.has(place) || place === journalOf(places, 'a'));
    if (!isJudged || intruder === null || act.by === 'edit' || act.by === 'text' || ids.has(intruder)) return [];
    return [`the ${act.by} in the place of ${path.relative(places.root, place)} was deleted`];
  });
}

/** A call whose own files were replaced may have no answer any more. */
const harms = ({ place }: Done, call: string): boolean =>
  place !== null && (place.includes(call) || /\/(?:attempts|state|a|b|task|\.tmp)$/.test(place));

/** A published answer of another task, or all of them: only its next run checks and reports that. */
const isOthersAnswer = ({ act, place }: Done): boolean =>
  place !== null &&
  [place, path.dirname(place)].some((folder) => path.basename(folder) === 'outputs') &&
  place.includes('/task/b/') !== (act.caller === 'other');

function lostAnswers({ seen, done, files, commands }: Evidence, { project }: Places): string[] {
  if (commands.some(({ as, hung }) => as === 'main' && hung)) return [];
  const texts = [...files.main.texts].filter(([file]) => isWithin(project, file) && !/\.raw$|\/stdout$/.test(file));
  return answersOf(seen)
    .filter(({ id }) => !done.some((one) => isLate(one) || isOthersAnswer(one) || harms(one, id)))
    .filter(({ id }) => isOfMain(id, seen, done) && !texts.some(([, text]) => text.includes(answerOf(id))))
    .map(({ id, tool }) => `${tool} answered ${id}, and that is nowhere`);
}

const answersOf = (seen: readonly Seen[]): Seen[] => seen.filter(({ what }) => what === 'answered');

/** Reruns come after the examined command. */
function isOfMain(id: string, seen: readonly Seen[], done: readonly Done[]): boolean {
  const last = done.findLast(({ call }) => call !== null);
  if (last === undefined) return false;
  return (
    seen.findIndex((one) => one.id === id && one.what === 'begun') <= seen.findIndex((one) => one.id === last.call)
  );
}

function paidTwice({ plan, seen, done }: Evidence, places: Places): string[] {
  return (Object.keys(plan.tools) as Caller[]).flatMap((caller) => {
    const own = seen.filter(({ tool }) => tool === plan.tools[caller]);
    const begun = own.filter(({ what }) => what === 'begun').map(({ id }) => id);
    const twice = begun.filter((id, i) => begun.indexOf(id) !== i).map((id) => `${id} was asked twice`);
    const first = own.findIndex(({ what }) => what === 'answered');
    const again = first === -1 ? [] : own.slice(first + 1).filter(({ what }) => what === 'begun');
    // A wrapper's call by hand is a separate stage.
    const excused =
      (plan.kind === 'wrapper' && caller === 'first' ? 1 : 0) +
      done.filter((one) => isExcused(one, places) || begun.some((id) => harms(one, id))).length;
    if (again.length <= excused) return twice;
    return [
      ...twice,
      `${plan.tools[caller]} had answered ${own[first]!.id} and was asked again: ${again.map(({ id }) => id).join(' ')}`,
    ];
  });
}

const isExcused = (one: Done, places: Places): boolean =>
  isLate(one) || isForgotten(one, places) || isOthersAnswer(one);

/** If a journal was removed with its folder between two runs, its task counts as never run. */
const isForgotten = ({ act, place }: Done, places: Places): boolean =>
  act.moment === 'between' &&
  place !== null &&
  ['folder', 'full_folder', 'gone'].includes(act.by) &&
  (['a', 'b'] as const).some((name) => isWithin(place, path.dirname(journalOf(places, name))));

function overBudget({ plan: { tools }, seen, done }: Evidence, places: Places): string[] {
  if (done.some((one) => isLate(one) || isForgotten(one, places))) return [];
  const begun = (callers: readonly Caller[]) =>
    seen.filter(({ what, tool }) => what === 'begun' && callers.some((caller) => tools[caller] === tool)).length;
  const used = { a: begun(['first', 'second']), b: begun(['other']) };
  return (['a', 'b'] as const)
    .filter((name) => used[name] > BUDGET[name])
    .map((name) => `${name} made ${used[name]} calls of ${BUDGET[name]}`);
}

function unreadableState({ files, done }: Evidence, { project }: Places): string[] {
  return [...files.end.texts]
    .filter(
      ([file]) => isWithin(path.join(project, '.tmp'), file) && file.endsWith('.json') && !file.includes('/attempts/'),
    )
    .filter(([file]) => !done.some(({ place }) => place !== null && isWithin(place, file)))
    .filter(([, text]) => !isJson(text.toString('utf8')))
    .map(([file, text]) => `${path.relative(project, file)}: ${text.toString('utf8').slice(0, 80)}`);
}

function refusedUnnamed({ commands, done, files }: Evidence, { project }: Places): string[] {
  const standing = done.flatMap(({ act, place, intruder }) =>
    place !== null && intruder !== null && files.end.ids.get(place) === intruder && !isOrdinaryInput(act)
      ? [path.relative(project, place)]
      : [],
  );
  const last = commands.findLast(({ as, command }) => as === 'rerun' && command.startsWith('tollgate run a '));
  if (standing.length === 0 || last === undefined || last.code !== TOLLGATE_EXIT.badInput || last.hung) return [];
  const said = last.stdout + last.stderr;
  // The refusal may be for the one that was moved away since, while the other remains and does no harm.
  if (done.some((one) => isNamed(one, said))) return [];
  return [`${last.command} exited ${last.code} with ${standing.join(', ')} there: ${said.slice(0, 600)}`];
}

/** A missing input may be reported by its folder. */
const isNamed = ({ act, place }: Done, said: string): boolean =>
  place !== null &&
  (said.includes(path.basename(place)) ||
    (act.by === 'gone' && path.basename(path.dirname(place)) === 'inputs' && said.includes(': inputs (')));

/** Other files or another text are inputs: the run reports changed prompts, as for an edit by the user. */
const isOrdinaryInput = ({ target, by, moment }: Done['act']): boolean =>
  (moment === 'between' || moment === 'late') &&
  ((target === 'input' && (by === 'full_folder' || by === 'folder')) ||
    ((target === 'input' || target === 'template') && (by === 'text' || by === 'edit')));
