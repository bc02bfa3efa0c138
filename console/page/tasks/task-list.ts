// Follows the list of all tasks while the page is open, and chooses which of them to show in what order.

import { classWord } from '../../../policies/facts/classes.ts';
import type { TaskLine, TasksChange } from '../../contract/page.ts';
import type { Resources } from '../../contract/resources.ts';
import type { Following } from '../live/follow.ts';
import { againBy, read, type Trouble } from '../live/requests.ts';
import { onChange } from '../live/stream.ts';
import { count, counted, listed, money } from '../parts/figures.ts';
import { batch, type ReadonlySignal, type Signal, signal } from '../reactive.ts';

/** A signal for each task, so that a change of one task redraws one row. */
const lines = new Map<string, Signal<TaskLine>>();
/** Increases when a task is added or removed, or when a value changes that tasks are sorted or filtered by. */
const changed = signal(0);

/** Informs the reader of a line when it comes. */
export function lineOf(id: string): ReadonlySignal<TaskLine> | undefined {
  const line = lines.get(id);
  if (line === undefined) void changed.value;
  return line;
}

/** Returns all lines. A computation that reads them runs again when the position of a row may have changed. */
export function everyLine(): TaskLine[] {
  void changed.value;
  return [...lines.values()].map((line) => line.peek());
}

/** Replaces all lines with the current ones. */
function replaceLines(all: readonly TaskLine[]): void {
  batch(() => {
    const there = new Set(all.map(({ task_id }) => task_id));
    for (const id of lines.keys()) if (!there.has(id)) lines.delete(id);
    for (const line of all) put(line);
    changed.value += 1;
  });
}

function changeLines(some: readonly TaskLine[], gone: readonly string[]): void {
  batch(() => {
    let isMoved = false;
    for (const line of some) isMoved = put(line) || isMoved;
    for (const id of gone) isMoved = lines.delete(id) || isMoved;
    if (isMoved) changed.value += 1;
  });
}

/** @returns whether the position of the line may have changed. */
function put(line: TaskLine): boolean {
  const known = lines.get(line.task_id);
  if (known === undefined) {
    lines.set(line.task_id, signal(line));
    return true;
  }
  const before = known.peek();
  known.value = line;
  return KEYS.some((key) => before[key] !== line[key]) || before.calls.used !== line.calls.used;
}

const KEYS = ['state', 'at', 'stage', 'class', 'reason', 'why', 'usd'] as const;

export const SORTS = ['at', 'task_id', 'state', 'calls', 'usd'] as const;
export type SortKey = (typeof SORTS)[number];

interface Wish {
  text: string;
  /** '' for any; NEEDS_YOU for all that wait for the user. */
  state: string;
  /** Of the open failure; '' for any task. */
  class: string;
  sort: SortKey;
  order: 'ascending' | 'descending';
  /** Whether those that wait for the user come before all others. */
  needsFirst: boolean;
}

export const NEEDS_YOU = 'needs_you';

const WAITING_STATES: readonly TaskLine['state'][] = ['parked', 'failed', 'refused', 'interrupted', 'unreadable'];

/** Whether nothing happens to the task until the user does something. */
export const needsYou = ({ state }: TaskLine): boolean => WAITING_STATES.includes(state);

/** Such as `3 failed, 1 question`. */
export function needsWords(of: readonly TaskLine[]): string {
  const states = countStates(of);
  const failed = (states.get('failed') ?? 0) + (states.get('refused') ?? 0);
  return [
    [failed, 'failed'],
    [states.get('parked') ?? 0, states.get('parked') === 1 ? 'question' : 'questions'],
    [states.get('interrupted') ?? 0, 'interrupted'],
    [states.get('unreadable') ?? 0, 'unreadable'],
  ]
    .flatMap(([n, word]) => (n === 0 ? [] : `${n} ${word}`))
    .join(', ');
}

/** Why it needs the user. */
export const reasonOf = ({ why, state }: TaskLine): string =>
  why ?? (state === 'interrupted' ? 'Its run ended before it could finish.' : '');

/** Returns the ids in order. A row must contain every word of the text. */
export function chosenTasks(all: readonly TaskLine[], wish: Wish): string[] {
  const { text, state, class: errorClass, sort, order, needsFirst } = wish;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const some = all.filter(
    (line) =>
      (state === '' || line.state === state || (state === NEEDS_YOU && needsYou(line))) &&
      (errorClass === '' || line.class === errorClass) &&
      words.every((word) => has(line, word)),
  );
  const sign = order === 'ascending' ? 1 : -1;
  return some
    .map((line) => ({ id: line.task_id, key: keyOf(line, sort), rank: needsFirst && !needsYou(line) ? 1 : 0 }))
    .sort((a, b) => a.rank - b.rank || sign * compare(a.key, b.key) || compare(a.id, b.id))
    .map(({ id }) => id);
}

const has = (line: TaskLine, word: string): boolean =>
  line.task_id.toLowerCase().includes(word) ||
  (line.goal ?? '').toLowerCase().includes(word) ||
  (line.stage ?? '').toLowerCase().includes(word) ||
  (line.class !== null && `${line.class} ${classWord(line.class)}`.includes(word)) ||
  (line.reason ?? '').includes(word) ||
  (line.why ?? '').toLowerCase().includes(word) ||
  (line.signature ?? '').startsWith(word);

type Key = string | number;

function keyOf(line: TaskLine, sort: SortKey): Key {
  if (sort === 'calls') return line.calls.used;
  if (sort === 'usd') return line.usd ?? -1;
  return line[sort] ?? '';
}

const compare = (a: Key, b: Key): number => (a < b ? -1 : a > b ? 1 : 0);

export function countStates(all: readonly TaskLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { state } of all) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** The classes of the open failures, in order. */
export const classesOf = (all: readonly TaskLine[]): string[] =>
  [...new Set(all.flatMap(({ class: errorClass }) => errorClass ?? []))].sort();

/**
 * How many calls these tasks can make: what their budgets still allow, and a run with all its retries needs no more.
 * `unknown`: the number of tasks without a known budget.
 */
function allowedFor(ids: readonly string[], tools?: readonly string[]): { most: number; unknown: number } {
  const lines = ids.map((id) => lineOf(id)?.value);
  const known = lines.flatMap((line) => {
    if (line === undefined || line.calls.budget === null) return [];
    const rest = Math.max(0, line.calls.budget - line.calls.used);
    return [Math.min(rest, (tools === undefined ? line.next_run?.most : null) ?? rest)];
  });
  return { most: known.reduce((sum, rest) => sum + rest, 0), unknown: ids.length - known.length };
}

/** Of all runs of these tasks. */
export function costOf(ids: readonly string[]): { usd: number | null; without: number; calls: number } {
  const lines = ids.flatMap((id) => lineOf(id)?.value ?? []);
  const priced = lines.flatMap(({ usd }) => usd ?? []);
  return {
    usd: priced.length === 0 ? null : priced.reduce((sum, each) => sum + each, 0),
    without: lines.reduce((sum, line) => sum + line.calls_without_price, 0),
    calls: lines.reduce((sum, line) => sum + line.calls.used, 0),
  };
}

interface Price {
  /** The CLI of each call that it usually makes; null if that is not known. */
  usual: readonly string[] | null;
  /** What the budgets still allow; null if that is not known. */
  most: number | null;
}

/** @param tools the CLI of each call; undefined: what the next run of these tasks calls. */
function priceOf(ids: readonly string[], tools?: readonly string[]): Price {
  const { most, unknown } = allowedFor(ids, tools);
  const runs = ids.map((id) => lineOf(id)?.value.next_run ?? null);
  const known = runs.every((run) => run !== null) ? runs.flatMap((run) => run.tools) : null;
  return { usual: tools ?? known, most: unknown > 0 ? null : most };
}

/** What a button pays for, such as `1–8 paid calls · about $0.04`. */
export function callsAtMost(ids: readonly string[], tools?: readonly string[]): string {
  const { usual, most } = ids.length === 0 ? { usual: [], most: 0 } : priceOf(ids, tools);
  if (most === 0) return usual?.length === 0 ? 'no paid call' : 'no call is left in its budget';
  return priceWords(usual, most);
}

/** @param most of the calls; null if that is not known. */
export function priceWords(usual: readonly string[] | null, most: number | null): string {
  const cost = usual === null ? PRICE_UNKNOWN : expectedCost(usual);
  if (usual === null) return `${most === null ? 'paid calls' : `up to ${counted(most, 'paid call')}`} · ${cost}`;
  const least = most === null ? usual.length : Math.min(usual.length, most);
  const calls =
    most === null || most === least ? counted(least, 'paid call') : `${count(least)}–${count(most)} paid calls`;
  return usual.length === 0 ? calls : `${calls} · ${cost}`;
}

export const signInWords = (out: readonly string[]): string[] =>
  out.length === 0 ? [] : [`no sign-in for ${listed(out)}`];

/** Those of them that a run has something to do for: one that is done makes no call. */
export const undone = (ids: readonly string[]): string[] => ids.filter((id) => lineOf(id)?.value.state !== 'done');

/** The CLIs of these calls for which no sign-in was found. */
export function signedOutOf(ids: readonly string[], tools?: readonly string[]): string[] {
  const called = tools ?? ids.flatMap((id) => lineOf(id)?.value.next_run?.tools ?? []);
  return signedOut.value.filter((tool) => called.includes(tool));
}

/** The CLIs for which no sign-in was found on this machine. */
export const signedOut = signal<readonly string[]>([]);

const isNone = signal(false);

/** Whose sign-in lacks, in a sentence. */
export const signedOutWords = (): string =>
  isNone.value ? 'No sign-in was found for any CLI.' : `No sign-in was found for ${listed(signedOut.value)}.`;

export async function renewSignIns(): Promise<void> {
  const answered = await read<Resources['/api/choices']>('/api/choices');
  if (answered.how === 'failed') return;
  isNone.value = answered.value.tools.every(
    ({ lacks, note }) => lacks !== null || note?.startsWith('no sign-in found'),
  );
  signedOut.value = answered.value.tools.flatMap(({ tool, note }) =>
    note?.startsWith('no sign-in found') ? tool : [],
  );
}

export const PRICE_UNKNOWN = 'price unknown';

/** By what earlier calls of the same CLIs cost in this project. Less than a cent as a part of a sum says nothing. */
export function expectedCost(tools: readonly string[]): string {
  const known = tools.flatMap((tool) => meanPrices.value.get(tool) ?? []);
  const sum = known.reduce((total, usd) => total + usd, 0);
  const isWhole = known.length === tools.length;
  if (known.length === 0 || (!isWhole && sum < 0.01)) return PRICE_UNKNOWN;
  return `${sum < 0.01 ? '' : isWhole ? 'about ' : 'from '}${money(sum)}`;
}

/** Of an earlier call of each CLI, as far as a price was known. */
const meanPrices = signal<ReadonlyMap<string, number>>(new Map());

async function renewPrices(): Promise<void> {
  const answered = await read<Resources['/api/spent']>('/api/spent');
  if (answered.how === 'failed') return;
  const { tools, days } = answered.value;
  meanPrices.value = new Map(
    tools.flatMap((tool): [string, number][] => {
      const used = days.flatMap(({ by_tool: by }) => (Object.hasOwn(by, tool) ? by[tool]! : []));
      const priced = used.reduce((sum, { calls, calls_without_price: without }) => sum + calls - without, 0);
      return priced === 0 ? [] : [[tool, used.reduce((sum, { usd }) => sum + usd, 0) / priced]];
    }),
  );
}

/** The same in sentences. */
export function callsLeft(ids: readonly string[], tools?: readonly string[]): string {
  if (ids.length === 0) return 'All are done already, and make no paid call.';
  const { most, unknown } = allowedFor(ids, tools);
  if (unknown === ids.length) return 'The budget in the manifest limits the calls that it may pay for.';
  const { usual } = priceOf(ids, tools);
  if (most === 0 && unknown === 0)
    return usual?.length === 0
      ? 'No stage is left to call, so no paid call is made.'
      : 'No paid call is left in the budget.';
  const n = usual === null ? null : unknown > 0 ? usual.length : Math.min(usual.length, most);
  const others = unknown === 0 ? '' : ` The manifest limits those of ${counted(unknown, 'other task')}.`;
  const out = signedOutOf(ids, tools);
  const signIn = out.length === 0 ? '' : ` No sign-in was found for ${listed(out)}.`;
  const who = ids.length === 1 ? 'It' : 'They';
  const makes = ids.length === 1 ? 'makes' : 'make';
  const cap = unknown > 0 || most === n ? '' : `, at most ${count(most)}`;
  const calls =
    n === null
      ? `${who} ${makes} at most ${counted(most, 'paid call')}`
      : `${who} usually ${makes} ${counted(n, 'paid call')}${cap}`;
  return `${calls}; ${usual === null || n === 0 ? PRICE_UNKNOWN : expectedCost(usual)}.${others}${signIn}`;
}

const value = signal<number | null>(null);
const problem = signal<Trouble | null>(null);
const againAt = signal<string | null>(null);

/** The number of tasks when the whole list last arrived; the rows are in the store. */
export const taskList: Following<number> = { value, problem, againAt, renew: () => void renew() };

const again = againBy(() => void renew(), againAt);
const { renew, noteChange } = createRenewal();

function createRenewal() {
  /** The changes that arrive while the newest request is open. The server may have made the answer before them. */
  let since: TasksChange[] | null = null;
  const noteChange = (change: TasksChange) => since?.push(change);
  return { renew, noteChange };

  async function renew(): Promise<void> {
    const changes: TasksChange[] = [];
    since = changes;
    const answered = await read<Resources['/api/tasks']>('/api/tasks');
    // A later request misses nothing, whichever answer arrives first.
    if (since !== changes) return;
    since = null;
    if (answered.how === 'failed') {
      problem.value = answered.problem;
      if (answered.problem.lasts === 'a while') again.later();
      else again.rest();
      return;
    }
    again.rest();
    problem.value = null;
    replaceLines(answered.value.tasks);
    for (const { lines, gone } of changes) changeLines(lines, gone);
    value.value = answered.value.tasks.length;
  }
}

/** Requests first the whole list, then takes over the changed rows. */
export function followTasks(): void {
  // The list is requested after the stream opens, which sends `*`. An earlier list would miss the changes in between.
  onChange((topic, _id, change) => {
    if (topic === '*' || topic === 'budgets') void renewPrices();
    if (topic === '*') void renewSignIns();
    if (topic === '*') void renew();
    if (topic !== 'tasks') return;
    if (change === null) return void renew();
    noteChange(change);
    changeLines(change.lines, change.gone);
  });
  // A sign-in in a terminal changes nothing that the server follows.
  addEventListener('focus', () => void renewSignIns());
}
