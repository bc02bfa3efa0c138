// A session and a book as the contract has them.

import type { BookShown } from '../../../console/contract/overviews.ts';
import type { ResourcesOf } from '../../../console/contract/resources.ts';
import { toDo, toType } from '../../../policies/facts/next-action.ts';
import { BOOK, LATER, NOW, SESSION, TASK, type Texts } from './told-names.ts';

export function toldSession(text: Texts): ResourcesOf['session'] {
  return {
    tag: text('tag of the session'),
    goal: text('goal of the session'),
    calls: [{ task_id: TASK, stage: text('stage of the session'), attempt: 2, at: NOW, class: 'quota' }],
    tool: 'claude',
    session_id: SESSION,
    all: 2,
    reverted: 1,
    turns: [
      {
        number: 1,
        at: NOW,
        prompt: text('prompt'),
        items: [
          { how: 'thought', text: text('thought') },
          { how: 'called', id: '1', name: text('tool'), input: text('input') },
          { how: 'responded', id: '1', name: text('tool'), output: text('output'), failed: true },
          { how: 'said', text: text('answer') },
          { how: 'noted', text: text('note') },
        ],
        tokens: { input: 10, output: 5 },
        state: 'active',
        part: 'whole',
        opening: null,
      },
      {
        number: 2,
        at: NOW,
        prompt: text('taken back'),
        items: [{ how: 'said', text: text('taken answer') }],
        tokens: null,
        state: 'reverted',
        part: 'whole',
        opening: null,
      },
    ],
    redo: [{ n: 1, at: NOW, next: true }],
    notes: [text('session note')],
    health: { lines: ['2 turns', text('flaw')], flaws: [text('flaw')], flawed_turns: [1] },
  };
}

export function toldBook(text: Texts): BookShown {
  return {
    name: BOOK,
    state: 'paused (refusal)',
    model: text('model'),
    sections: 2,
    tokens: 4321,
    usd: 0.1,
    unpriced_answers: 1,
    calls: { used: 3, total: 40 },
    evidence: text('evidence'),
    next_actions: [
      toDo(text('next')),
      toType(text('next command'), `tollgate distill resume ${BOOK}`, 'pays'),
      toType(text('keep'), `tollgate distill resume ${BOOK} --accept`, 'pays'),
    ],
    waits_until: LATER,
    requested: [
      {
        section: 1,
        title: text('title'),
        state: 'accepted',
        attempts: 2,
        ms: 64_000,
        since: null,
        usd: 0.1,
        unpriced: 0,
      },
      { section: 2, title: null, state: 'running', attempts: 1, ms: 0, since: NOW, usd: null, unpriced: 0 },
      { section: 3, title: 'The pond', state: 'held', attempts: 1, ms: 900, since: null, usd: null, unpriced: 1 },
    ],
    document: [
      { section: 1, title: text('title'), chars: 400, text: text('section'), state: 'kept' },
      { section: 3, title: 'The pond', chars: 400, text: text('held'), state: 'held' },
    ],
    trace: [text('trace')],
  };
}
