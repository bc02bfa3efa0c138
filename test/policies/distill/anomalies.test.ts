// An answer with more than one fault is told with all of them.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anomalyOf } from '../../../policies/distill/anomalies.ts';
import type { TurnAnswer } from '../../../policies/distill/service.ts';

const answer = (given: Partial<TurnAnswer>): TurnAnswer =>
  ({
    text: 'A long and calm section. '.repeat(20),
    content: {},
    finishReason: 'STOP',
    blockReason: null,
    modelVersion: 'gemini-2.5-pro-002',
    usage: { prompt: 0, answer: 0, thoughts: 0, cached: 0, total: 0, estimated: false },
    ...given,
  }) as TurnAnswer;

const context = { before: null, modelVersion: 'gemini-2.5-pro-001', endMarker: '[END]', off: new Set<never>() };

test('nobody keeps a cut section for its version alone: what else is wrong stands beside the first reason', () => {
  const held = anomalyOf(answer({ text: 'short' }), context);
  assert.is(held?.name, 'model_changed');
  assert.equal(held?.also, ['short']);
  assert.match(held!.evidence, /-002 answered, and .*-001 .*; and \(short\) it has 5 characters, fewer than 200$/);
});

test('a single fault is told alone, and an empty answer once', () => {
  assert.is(anomalyOf(answer({}), context)?.also, undefined);
  const empty = anomalyOf(answer({ text: '' }), { ...context, modelVersion: null });
  assert.equal(empty, { name: 'short', evidence: 'the answer is empty' });
});

test('an answer that is missing altogether is empty, and not cut', () => {
  const none = anomalyOf(answer({ text: '', content: null, finishReason: null }), context);
  assert.is(anomalyOf(answer({ text: '', content: null }), { ...context, modelVersion: null })?.name, 'short');
  assert.equal([none?.name, none?.also], ['model_changed', ['short']]);
});

test('what is switched off is not named beside the others, but an empty answer is', () => {
  const off = new Set(['short', 'model_changed'] as const);
  assert.is(anomalyOf(answer({ text: 'short' }), { ...context, off }), null);
  assert.is(anomalyOf(answer({ text: ' ' }), { ...context, off })?.name, 'short');
});

test.run();
