// Folds a journal into its meaning: which run owns the task, what was paid, what is open, what is done.

import type { DistillFact } from '../../policies/distill/distillation.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { SuperviseFact } from '../../policies/supervise/supervision.ts';
import { engineWords, type StandIn } from '../../policies/verdict/stand-ins.ts';
import type { Fact, JournalLine } from './facts.ts';

type Of<F extends Fact['fact']> = Extract<JournalLine, { fact: F }>;

export interface Call {
  reserved: Of<'reserved'>;
  /** A refused reservation does not count. */
  granted: boolean;
  /** How many lines of the ledger's lists are before it: clocks may be set back, but the order of the lines does not change. */
  before: { decided: number; supervised: number };
  /** Calls of this task that were granted to its agent from within it. */
  nested: number;
  started: Of<'started'> | null;
  ended: Of<'ended'> | null;
  verdict: Of<'verdict'> | null;
}

export interface Ledger {
  budget: number | null;
  /** The last value of the manifest. A change of it counts; an unchanged value does not undo what a user set since. */
  manifestBudget: number | null;
  used: number;
  calls: Map<string, Call>;
  run: { run_id: string; owner: ProcessIdentity; at: string } | null;
  /** The stages of the manifest when it was last run; null if not known. */
  planned: ReadonlySet<string> | null;
  /** Runs that died and whose task another run claimed. If a guardian of theirs is only about to begin, it does not begin. */
  takenOver: Set<string>;
  /** How the runs that ended ended. */
  released: Map<string, Of<'released'>>;
  done: Map<string, Of<'done'>>;
  /** Prompts for which an answer counts beside its own, by stage and call. */
  kept: Map<string, Set<string>>;
  /** The last one of each stage, and all failed ones. */
  gates: Map<string, Of<'gate'>>;
  gateFailures: Of<'gate'>[];
  /** Calls whose answers a gate has checked, and those that it has passed at least once. */
  gated: Set<string>;
  passed: Set<string>;
  /** Stages of which the user wants another answer and that had no call since, and the calls that no longer count. */
  redo: Set<string>;
  disregarded: Set<string>;
  /** Stages with a verdict or gate result of the last run, and the time of the last result of any run. */
  judged: Set<string>;
  judgedAt: string | null;
  decided: Of<'decided'>[];
  /** The last of each tag and tool. */
  sessions: Map<string, Of<'session'>>;
  /** The events of its supervision, in order. */
  supervised: (JournalLine & SuperviseFact)[];
  /** The events of its distillation, in order. */
  distilled: (JournalLine & DistillFact)[];
  /** Offsets whose edits have been adopted. */
  resets: Set<number>;
  budgetEdits: Set<number>;
  /** Offsets of granted reservations. */
  grants: number[];
}

const DEFAULT_BUDGET = 10;

export function emptyLedger(): Ledger {
  return {
    budget: null,
    manifestBudget: null,
    used: 0,
    calls: new Map(),
    run: null,
    planned: null,
    takenOver: new Set(),
    released: new Map(),
    done: new Map(),
    kept: new Map(),
    gates: new Map(),
    gateFailures: [],
    gated: new Set(),
    passed: new Set(),
    redo: new Set(),
    disregarded: new Set(),
    judged: new Set(),
    judgedAt: null,
    decided: [],
    sessions: new Map(),
    supervised: [],
    distilled: [],
    resets: new Set(),
    budgetEdits: new Set(),
    grants: [],
  };
}

/** Adds one line, which is at `offset` in the file. Deterministic: the same lines give every reader the same ledger. */
export function fold(ledger: Ledger, line: JournalLine, offset: number): void {
  switch (line.fact) {
    case 'claimed':
      if (ledger.run !== null && ledger.run.run_id !== line.over) return;
      if (ledger.run !== null) ledger.takenOver.add(ledger.run.run_id);
      ledger.run = { run_id: line.run_id, owner: line.owner, at: line.at };
      ledger.judged.clear();
      ledger.planned = line.stages === undefined ? null : new Set(line.stages);
      return;
    case 'released':
      ledger.released.set(line.run_id, line);
      if (ledger.run?.run_id === line.run_id) ledger.run = null;
      return;
    case 'budget':
      if (line.from === 'stats') {
        if (ledger.budgetEdits.has(line.at_offset)) return;
        ledger.budgetEdits.add(line.at_offset);
      }
      ledger.budget = line.calls;
      if (line.from === 'manifest') ledger.manifestBudget = line.calls;
      return;
    case 'reserved': {
      // The same fact again: its writer could not know that it had been saved when the journal was replaced.
      if (ledger.calls.has(line.call_id)) return;
      const outer = line.within === undefined ? undefined : ledger.calls.get(line.within);
      const isFree = outer === undefined || outer.nested < (outer.reserved.nested_calls ?? 0);
      // The process that took the task over has not seen it, and reserves the same.
      const isLate = line.run_id !== null && ledger.takenOver.has(line.run_id);
      const granted = isFree && !isLate && ledger.used < (ledger.budget ?? DEFAULT_BUDGET);
      const before = { decided: ledger.decided.length, supervised: ledger.supervised.length };
      const open = { started: null, ended: null, verdict: null };
      const call: Call = { reserved: line, granted: false, before, nested: 0, ...open };
      ledger.calls.set(line.call_id, call);
      if (granted) grant(ledger, call, offset);
      return;
    }
    case 'started': {
      const call = ledger.calls.get(line.call_id);
      // Older versions that granted a call to a replaced run also made the call. A run whose reservation is refused never writes
      // this.
      if (call?.granted === false && ledger.takenOver.has(call.reserved.run_id ?? '')) grant(ledger, call, offset);
      // Only its guardian writes it, and again if it restarts a CLI that sent no request.
      if (call === undefined || (call.started !== null && call.ended !== null)) return;
      // The first draft counts.
      const draft = call.started === null ? line.draft_sha256 : call.started.draft_sha256;
      const { draft_sha256: _, ...started } = line;
      call.started = draft === undefined ? started : { ...started, draft_sha256: draft };
      return;
    }
    case 'ended':
    case 'verdict': {
      const call = ledger.calls.get(line.call_id);
      // The first result of a call counts: a settler and a late guardian may both write.
      if (call === undefined || call[line.fact] !== null) return;
      Object.assign(call, { [line.fact]: line });
      ledger.judged.add(call.reserved.stage);
      ledger.judgedAt = line.at;
      return;
    }
    case 'session':
      ledger.sessions.set(sessionKey(line), line);
      return;
    case 'decided':
      ledger.decided.push(line);
      return;
    case 'gate':
      ledger.gates.set(line.stage, line);
      ledger.gated.add(line.call_id);
      ledger.judged.add(line.stage);
      ledger.judgedAt = line.at;
      if (line.passed) ledger.passed.add(line.call_id);
      else ledger.gateFailures.push(line);
      return;
    case 'done':
      ledger.done.set(line.stage, line);
      return;
    case 'kept': {
      const prompts = ledger.kept.get(answerKey(line)) ?? new Set();
      ledger.kept.set(answerKey(line), prompts.add(line.prompt_sha256));
      ledger.redo.delete(line.stage);
      if (line.call_id !== null) ledger.disregarded.delete(line.call_id);
      return;
    }
    case 'reopened':
      ledger.done.delete(line.stage);
      if (line.redo) disregard(ledger, line.stage);
      return;
    case 'reset':
      if (ledger.resets.has(line.at_offset)) return;
      ledger.resets.add(line.at_offset);
      ledger.used = line.used + ledger.grants.filter((at) => at >= line.at_offset).length;
      return;
    case 'supervised':
    case 'instructed':
    case 'worked':
    case 'reasoned':
    case 'noted':
    case 'left':
      ledger.supervised.push(line);
      return;
    case 'distilled':
    case 'uploaded':
    case 'answered':
    case 'accepted':
    case 'dropped':
    case 'deleted':
    case 'halted':
      ledger.distilled.push(line);
      return;
    default:
      line satisfies never;
  }
}

/** The user has not seen an answer that no gate has checked yet. */
function disregard({ calls, gated, redo, disregarded }: Ledger, stage: string): void {
  redo.add(stage);
  for (const [id, { reserved }] of calls) if (reserved.stage === stage && gated.has(id)) disregarded.add(id);
}

function grant(ledger: Ledger, call: Call, offset: number): void {
  call.granted = true;
  if (call.reserved.run_id !== null) ledger.redo.delete(call.reserved.stage);
  const outer = ledger.calls.get(call.reserved.within ?? '');
  if (outer !== undefined) outer.nested += 1;
  ledger.used += 1;
  ledger.grants.push(offset);
}

export const sessionKey = (place: { tag: string; tool: Tool; folder: string | null; account?: string }): string =>
  JSON.stringify([place.tag, place.tool, place.folder, place.account]);

interface Answer {
  stage: string;
  call_id: string | null;
}

const answerKey = ({ stage, call_id }: Answer): string => `${stage} ${call_id ?? ''}`;

/** Did a user decide that this answer counts for this prompt, whatever its own prompt was? */
export const isKeptFor = ({ kept }: Ledger, answer: Answer, promptSha256: string): boolean =>
  kept.get(answerKey(answer))?.has(promptSha256) ?? false;

/** Calls that were granted and whose end is not known yet. */
export const openCalls = (ledger: Ledger): Call[] =>
  [...ledger.calls.values()].filter((call) => call.granted && call.verdict === null);

/** What the answers of its stages lack, each with its stage. */
export const lacksIn = ({ done, calls }: Ledger): string[] =>
  [...done].flatMap(([stage, { call_id }]) =>
    (calls.get(call_id ?? '')?.verdict?.lacks ?? []).map((lack) => `${stage}: ${lack}`),
  );

export const budgetOf = (ledger: Ledger): number => ledger.budget ?? DEFAULT_BUDGET;

/** The stages for which runs have answers, in the order of their last ones. */
export function answeredIn({ calls }: Ledger): string[] {
  const answered = [...calls.values()].filter(
    ({ granted, reserved, verdict }) => granted && reserved.run_id !== null && verdict?.class === null,
  );
  return [...new Set(answered.map(({ reserved }) => reserved.stage).reverse())].reverse();
}

/** Which tool or model replaced which when the call was made, the first replacement first. */
export function standInsOf({ decided }: Ledger, { reserved, before }: Call): StandIn[] {
  const { run_id, stage } = reserved;
  return run_id === null ? [] : standInsIn({ decided: decided.slice(0, before.decided) }, run_id, stage);
}

/** All fallbacks that the run chose, called or not yet, up to the engine that it called last. */
export function standInsIn({ decided }: { decided: Of<'decided'>[] }, runId: string, of: string): StandIn[] {
  const chosen: StandIn[] = [];
  for (const { run_id, stage, stand_in } of decided) {
    if (run_id !== runId || stage !== of || stand_in === undefined) continue;
    const back = chosen.findIndex(({ in_place_of }) => engineWords(in_place_of) === engineWords(stand_in));
    if (back < 0) chosen.push(stand_in);
    else chosen.splice(back);
  }
  return chosen;
}

/**
 * The decision after each call, by the order of the lines, because a clock may be set back. A decision is about the last call of its run and stage before it. If several are about one call, the first counts.
 */
export function decisionsByCall({ calls, decided }: Ledger): Map<Call, Of<'decided'>> {
  const found = new Map<Call, Of<'decided'>>();
  const last = new Map<string, Call>();
  const reserved = calls.values();
  let next = reserved.next();
  for (const [nth, decision] of decided.entries()) {
    for (; next.done !== true && next.value.before.decided <= nth; next = reserved.next())
      last.set(keyOf(next.value.reserved), next.value);
    const call = last.get(keyOf(decision));
    if (call !== undefined && !found.has(call)) found.set(call, decision);
  }
  return found;
}

const keyOf = ({ run_id, stage }: { run_id: string | null; stage: string }): string => `${run_id} ${stage}`;
