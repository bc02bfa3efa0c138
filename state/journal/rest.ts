// Whether a task rests, and since when, without the fold: most of a journal's lines have no say in that, and are not parsed.

import type { Fact, JournalLine } from './facts.ts';
import { parseLine } from './journal.ts';

type Release = Extract<JournalLine, { fact: 'released' }>;
type Verdict = Extract<JournalLine, { fact: 'verdict' }>;

/**
 * Its last release, where every run that claimed it has released it and every call that was reserved has its verdict.
 * @returns null where only the fold can tell: somebody may be at work, or a line is none that we write.
 */
export function restIn(bytes: Buffer, file: string): Release | null {
  const text = bytes.toString();
  const open = new Set<string>();
  const releases = new Map<string, Release>();
  let run: string | null = null;
  for (let from = 0, to = 0; from < text.length; from = to + 1) {
    to = text.indexOf('\n', from);
    const isOurs = to !== -1 && text.startsWith(HEAD, from) && text.startsWith(FACT, from + FACT_AT);
    if (!isOurs && to !== -1 && text.startsWith(HEAD, from) && text.startsWith(DONE, to - DONE.length)) continue;
    if (isOurs && text.startsWith(CLAIMED, from + FACT_AT)) {
      if (run !== null) return null;
      run = wordAt(text, from + FACT_AT + CLAIMED.length);
    } else if (isOurs && text.startsWith(RESERVED, from + FACT_AT)) {
      open.add(wordAt(text, from + FACT_AT + RESERVED.length));
    } else if (!isOurs || !isSilent(wordAt(text, from + FACT_AT + FACT.length))) {
      const line = to === -1 ? 'torn' : (plainLine(text, from) ?? parseLine(text.slice(from, to), file));
      if (typeof line === 'string') return null;
      if (line.fact === 'verdict') open.delete(line.call_id);
      else if (line.fact === 'released') {
        // Of another run than the one that claimed it: for the fold to judge.
        if (run !== null && run !== line.run_id) return null;
        releases.set(line.run_id, line);
        run = null;
      } else if (!isSilent(line.fact)) return null;
    }
  }
  return run === null && open.size === 0 ? ([...releases.values()].at(-1) ?? null) : null;
}

/** As our own writer begins each line; the time between them has a fixed length. */
const HEAD = '{"v":1,"at":"';
const FACT = '","fact":"';
const FACT_AT = HEAD.length + new Date(0).toISOString().length;
const CLAIMED = `${FACT}claimed","run_id":"`;
const RESERVED = `${FACT}reserved","call_id":"`;

/** Its fact stands last; within a text its quotes would have backslashes. */
const DONE = ',"fact":"done"}';

/** Whole lines as our writer writes nearly all of these two, which are told without a parser. */
const PLAIN =
  /\{"v":1,"at":"([\dTZ:.-]*)","fact":"(?:verdict","call_id":"([\w.-]+)"(?:,"(?:class|reason|signature|retry_at)":(?:null|"[\w:.-]*"))*,"exit_code":(?:0|[1-9]\d{0,8})|released","run_id":"([\w.-]+)","exit_code":(0|[1-9]\d{0,8}),"state":"(done|failed|interrupted|refused|parked)")\}\n/y;

function plainLine(text: string, from: number): Release | Pick<Verdict, 'fact' | 'call_id'> | null {
  PLAIN.lastIndex = from;
  const [, at, call_id, run_id, exit_code, state] = PLAIN.exec(text) ?? [];
  if (at === undefined) return null;
  if (call_id !== undefined) return { fact: 'verdict', call_id };
  return {
    v: 1,
    at,
    fact: 'released',
    run_id: run_id!,
    exit_code: Number(exit_code),
    state: state as Release['state'],
  };
}

/** From there to the next quote. */
const wordAt = (text: string, from: number): string => text.slice(from, text.indexOf('"', from));

/** Whatever they hold, whole or torn, no run and no call begins or ends by them. */
const SILENT: ReadonlySet<string> = new Set<Fact['fact']>([
  'budget',
  'started',
  'ended',
  'session',
  'decided',
  'gate',
  'done',
  'kept',
  'reopened',
  'reset',
]);

const isSilent = (fact: string): boolean => SILENT.has(fact);
