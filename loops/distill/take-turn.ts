// Takes one turn: requests an answer, stores it, checks it, adds it to the book; and handles the turn of a killed process.

import { type AnomalyName, anomalyOf } from '../../policies/distill/anomalies.ts';
import { tokensOf } from '../../policies/distill/budgets.ts';
import type { DistillMove } from '../../policies/distill/distillation.ts';
import { turnPrice } from '../../policies/distill/models.ts';
import { answerContent, reachesEnd, titleOf, withoutMarker } from '../../policies/distill/turn-contents.ts';
import { LOST } from '../../policies/rules/endings.ts';
import { appendSection, writeDocument } from '../../state/distill/live-document.ts';
import { type KeptTurn, keepTurn, turnOrNull } from '../../state/distill/turns.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { askFor, close } from './ask.ts';
import type { DistillRun, StepLeft } from './distill-run.ts';

type TurnLeft = StepLeft | { how: 'stopped'; evidence: string };

/** @returns null if the loop continues with its next move. */
export async function takeTurn(move: Extract<DistillMove, { move: 'ask' }>, run: DistillRun): Promise<TurnLeft | null> {
  const asking = await askFor(move, run);
  if (asking.how !== 'answered') return asking;
  const kept: KeptTurn = {
    schema: 1,
    turn: run.fold.standing().turns + 1,
    section: move.section,
    call_id: asking.callId,
    at: run.context.clock().toISOString(),
    model: run.checkpoint.model,
    history: asking.history,
    request: asking.request,
    answer: asking.answer,
  };
  // The answer is paid for: from here on no failure loses it.
  await keepAtLast(() => keepTurn(run.folder, kept), run);
  const fact = answeredBy(kept, run);
  for (const step of stepsOf(kept, fact, run)) await keepAtLast(step, run);
  tell(kept, fact, asking.retries, run);
  return null;
}

/** Makes a stored answer a fact: in the book, or held. Also used for an answer of a killed process. */
function takeIn(kept: KeptTurn, retries: number, run: DistillRun): void {
  const fact = answeredBy(kept, run);
  for (const step of stepsOf(kept, fact, run)) step();
  tell(kept, fact, retries, run);
}

/** A failed step is repeated without the steps before it, because a fact is written only once. */
function stepsOf(kept: KeptTurn, fact: Answered, run: DistillRun): (() => void)[] {
  const record = () => run.record(fact);
  return fact.held === null ? [record, () => place(kept, run)] : [record];
}

type Answered = Extract<Fact, { fact: 'answered' }>;

function answeredBy(kept: KeptTurn, run: DistillRun): Answered {
  const { answer, section, turn, call_id } = kept;
  const { checkpoint, history } = run;
  const { lastText } = history.before(section);
  const marker = checkpoint.end_marker.trim();
  const modelVersion = kept.model === checkpoint.model ? run.fold.standing().modelVersion : null;
  const off = new Set(checkpoint.no_check as AnomalyName[]);
  const held = anomalyOf(answer, { before: lastText, modelVersion, endMarker: marker, off });
  const text = withoutMarker(answer.text, marker);
  return {
    fact: 'answered',
    run_id: run.runId,
    call_id,
    turn,
    section,
    title: titleOf(text, section),
    chars: answer.text.length,
    model: kept.model,
    model_version: answer.modelVersion,
    ...tokensOf(answer.usage, answer.text.length + run.prompt.length),
    usd: answer.usage === null ? null : turnPrice(kept.model, answer.usage, run.terms.prices),
    ends: reachesEnd(answer.text, marker),
    held,
  };
}

function tell(kept: KeptTurn, { title, tokens, estimated, held }: Answered, retries: number, run: DistillRun): void {
  const { section, turn, request, answer } = kept;
  const { spent } = run.fold.standing();
  run.trace({
    at: kept.at,
    kind: 'turn',
    section,
    turn,
    retries,
    request: { model: kept.model, history: kept.history, content: request },
    response: answer,
    ...(held === null ? {} : { held }),
  });
  run.context.tell({
    event: 'answered',
    section,
    title,
    tokens,
    estimated,
    total_tokens: spent.tokens,
    total_usd: spent.usd,
    elapsed_ms: run.elapsedMs(),
    held,
  });
}

/** Adds the section to history and document. */
export function place({ section, request, answer }: KeptTurn, run: DistillRun): void {
  const text = withoutMarker(answer.text, run.checkpoint.end_marker);
  const isNext = run.history.before(section).isNext;
  const before = isNext ? undefined : run.history.texts();
  run.history.add({ section, request, answer: answerContent(answer), text });
  const bytes = isNext ? appendSection(run.document, run.documentBytes, text) : null;
  run.documentBytes = bytes ?? writeDocument(run.document, run.history.texts(), before);
}

/** If a paid answer cannot be written, it is held in memory and tried again, because the user may free some space. */
const TRIES = 6;

const WAIT_MS = 5000;

/** Finally throws the error of the operating system. */
async function keepAtLast(write: () => void, { context, control }: DistillRun): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      write();
      return;
    } catch (error) {
      if (!isSystemError(error) || tries === TRIES || control.asking.aborted) throw error;
      context.tell({
        event: 'noted',
        text: `an answer that is paid for cannot be written (${error.message}); free some space: it is tried again`,
      });
      await context.pause(WAIT_MS, control.asking);
    }
  }
}

/** After a kill: accepts an answer on disk, records an open request as lost. @returns a sentence for each. */
export function takeLeftovers(run: DistillRun): string[] {
  const notes: string[] = [];
  const standing = run.fold.standing();
  const leftover = turnOrNull(run.folder, standing.turns + 1);
  const answered = new Set(run.ledger.distilled.flatMap((line) => (line.fact === 'answered' ? [line.call_id] : [])));
  for (const { reserved } of openCalls(run.ledger)) {
    if (answered.has(reserved.call_id)) continue;
    if (leftover?.call_id === reserved.call_id) {
      takeIn(leftover, 0, run);
      notes.push(`the answer to section ${leftover.section} was paid for and lay on disk; it is taken`);
      continue;
    }
    close(reserved.call_id, LOST, run);
    run.trace({
      at: run.context.clock().toISOString(),
      kind: 'lost',
      section: reserved.attempt,
      call_id: reserved.call_id,
    });
    const { via } = run.checkpoint;
    const next = via
      ? `its call of ${via} is awaited, and made again only without an answer`
      : 'it is requested once more';
    notes.push(`section ${reserved.attempt} was in flight when its process ended; ${next}`);
  }
  return notes;
}
