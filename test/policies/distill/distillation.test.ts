// Where a distillation stands, by its facts, and what it does next.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DistillFact,
  type DistillStanding,
  foldStanding,
  NOT_DISTILLED,
  nextMove,
  shownState,
} from '../../../policies/distill/distillation.ts';
import { PAUSES } from '../../../policies/distill/pauses.ts';

const AT = '2026-11-23T12:00:00.000Z';
const RUN = { run_id: 'r' };
const BEGUN: DistillFact = {
  fact: 'distilled',
  ...RUN,
  book_sha256: 'b',
  prompt_sha256: 'p',
  model: 'gemini-2.5-pro',
};
const UPLOADED: DistillFact = {
  fact: 'uploaded',
  ...RUN,
  why: 'first',
  name: 'files/1',
  uri: 'https://service/files/1',
  mime_type: 'application/pdf',
  expires_at: '2026-11-25T12:00:00.000Z',
};

type Answered = Extract<DistillFact, { fact: 'answered' }>;

const answered = (turn: number, more: Partial<Answered> = {}): Answered => ({
  fact: 'answered',
  ...RUN,
  call_id: `c${turn}`,
  turn,
  section: turn,
  title: `T${turn}`,
  chars: 400,
  model_version: 'gemini-2.5-pro',
  tokens: 100,
  estimated: false,
  usd: 0.5,
  ends: false,
  held: null,
  ...more,
});

const HELD = answered(2, { held: { name: 'refusal', evidence: 'it begins like a refusal' } });

const after = (...facts: DistillFact[]): DistillStanding =>
  foldStanding([BEGUN, UPLOADED, ...facts].map((fact) => ({ ...fact, at: AT }))).standing();

const TERMS = {
  budgets: { maxSeconds: null, maxTokens: null, maxUsd: null },
  wish: null,
  elapsedMs: 0,
  now: new Date('2026-11-23T13:00:00Z'),
} as const;

const shown = (standing: DistillStanding) => shownState(standing, (reason) => PAUSES[reason].shown);

test('Start: uploads file; performs first turn', () => {
  assert.equal(nextMove(NOT_DISTILLED, TERMS), { move: 'upload', why: 'first' });
  assert.equal(nextMove(after(), TERMS), { move: 'ask', section: 1 });
});

test('history is only appended on successful model responses', () => {
  assert.equal(
    after(answered(1), HELD).sections.map(({ section }) => section),
    [1],
  );
  assert.equal(after(answered(1), HELD).spent, { tokens: 200, estimated: 0, usd: 1, unpriced: 0 });
});

test('a held answer pauses; it counts once it is accepted, and is asked for again once it is dropped', () => {
  const held = after(answered(1), HELD);
  assert.equal(nextMove(held, TERMS), { move: 'pause', reason: 'refusal', evidence: 'it begins like a refusal' });
  const accepted = after(answered(1), HELD, { fact: 'accepted', turn: 2 });
  assert.equal(nextMove(accepted, TERMS), { move: 'ask', section: 3 });
  const dropped = after(answered(1), HELD, { fact: 'dropped', turn: 2 });
  assert.equal(nextMove(dropped, TERMS), { move: 'ask', section: 2 });
  assert.is(dropped.turns, 2, 'its number is not given again');
});

test('a held answer outlasts a section that is deleted meanwhile', () => {
  const held = after(answered(1), HELD, { fact: 'deleted', section: 1, again: true });
  assert.is(nextMove(held, TERMS).move, 'pause');
  const accepted = after(
    answered(1),
    HELD,
    { fact: 'deleted', section: 1, again: true },
    { fact: 'accepted', turn: 2 },
  );
  assert.equal(
    accepted.sections.map(({ section }) => section),
    [2],
  );
  assert.equal(nextMove(accepted, TERMS), { move: 'ask', section: 1 });
  const asked = after(answered(1), HELD, { fact: 'deleted', section: 1, again: true }, answered(3, { section: 1 }));
  assert.is(asked.held, null, 'older journals continued without it');
});

test('an answer of the model before says nothing of the version that answers now', () => {
  const model = 'gemini-3.8-flash';
  const held = { ...HELD, model: 'gemini-2.5-pro' };
  const other = after(answered(1), held, { ...BEGUN, model }, { fact: 'accepted', turn: 2 });
  assert.is(other.modelVersion, null);
  const late = after(
    { ...BEGUN, model },
    answered(1, { model: 'gemini-2.5-pro' }),
    answered(2, { model, model_version: 'x' }),
  );
  assert.is(late.modelVersion, 'x');
});

test('Completion: status becomes complete', () => {
  const standing = after(answered(1), answered(2, { ends: true }));
  assert.equal(nextMove(standing, TERMS), { move: 'complete' });
  assert.is(shown(standing), 'complete');
});

test('an end marker on a section that others follow is no end', () => {
  assert.equal(nextMove(after(answered(1, { ends: true }), answered(2)), TERMS), { move: 'ask', section: 3 });
});

test('a section can be deleted, and asked for again in its place', () => {
  const three = [answered(1), answered(2), answered(3, { ends: true })];
  const gone = after(...three, { fact: 'deleted', section: 2, again: false });
  assert.equal(
    gone.sections.map(({ section }) => section),
    [1, 3],
  );
  assert.equal(nextMove(gone, TERMS), { move: 'complete' });
  const wanted = after(...three, { fact: 'deleted', section: 2, again: true });
  assert.equal(nextMove(wanted, TERMS), { move: 'ask', section: 2 });
  const again = after(...three, { fact: 'deleted', section: 2, again: true }, answered(4, { section: 2 }));
  assert.equal(
    again.sections.map(({ turn }) => turn),
    [1, 4, 3],
  );
  assert.ok(again.complete);
  const last = after(...three, { fact: 'deleted', section: 3, again: false });
  assert.equal(nextMove(last, TERMS), { move: 'ask', section: 4 });
  const ended: DistillFact = { fact: 'halted', run_id: 'r', how: 'complete', reason: null, evidence: 'the end marker' };
  const without = (section: number, again: boolean) =>
    shown(after(...three, ended, { fact: 'deleted', section, again }));
  assert.equal([without(2, false), without(2, true), without(3, false)], ['complete', 'open', 'open']);
});

test('Re-upload before it expires', () => {
  const late = { ...TERMS, now: new Date('2026-11-25T11:45:00Z') };
  assert.equal(nextMove(after(answered(1)), late), { move: 'upload', why: 'expiring' });
});

test('a file that was just uploaded anew is asked of, however soon it expires', () => {
  const late = { ...TERMS, now: new Date('2026-11-27T12:00:00Z') };
  const renewed: DistillFact = { ...UPLOADED, why: 'expiring' };
  assert.equal(nextMove(after(renewed), late), { move: 'ask', section: 1 });
  assert.equal(nextMove(after(renewed, answered(1)), late), { move: 'upload', why: 'expiring' });
  assert.equal(nextMove(after(renewed, answered(1), renewed), late), { move: 'ask', section: 2 });
});

test('Pause and Stop are obeyed between turns, and budgets stop', () => {
  assert.is(nextMove(after(answered(1)), { ...TERMS, wish: 'pause' }).move, 'pause');
  assert.is(nextMove(after(answered(1)), { ...TERMS, wish: 'stop' }).move, 'stop');
  assert.is(nextMove(after(answered(1)), { ...TERMS, wish: 'interrupt' }).move, 'interrupt');
  const budgets = { ...TERMS.budgets, maxTokens: 100 };
  assert.equal(nextMove(after(answered(1)), { ...TERMS, budgets }), {
    move: 'stop',
    evidence: 'token budget reached: 100 of 100',
  });
});

test('the same fact twice counts once', () => {
  assert.equal(after(answered(1), answered(1)).spent.tokens, 100);
});

test('status: paused (error), stopped; what continues is open', () => {
  const halted = (how: 'paused' | 'stopped', reason: 'error' | null): DistillFact => ({
    fact: 'halted',
    ...RUN,
    how,
    reason,
    evidence: 'x',
  });
  assert.is(shown(NOT_DISTILLED), 'not begun');
  assert.is(shown(after(answered(1), halted('paused', 'error'))), 'paused (error)');
  assert.is(shown(after(answered(1), halted('stopped', null))), 'stopped');
  assert.is(shown(after(answered(1), halted('stopped', null), answered(2))), 'open');
});

test.run();
