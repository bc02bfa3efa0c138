// A task as the contract has it: whole, its failure explained, and what runs beside it.

import type { Resources, ResourcesOf } from '../../../console/contract/resources.ts';
import { toDo, toType } from '../../../policies/facts/next-action.ts';
import type { StandIn } from '../../../policies/verdict/stand-ins.ts';
import { LATER, NOW, SESSION, TASK, type Texts } from './told-names.ts';

export function toldTask(text: Texts): ResourcesOf['task'] {
  return {
    task_id: TASK,
    folder: text('folder'),
    goal: text('goal'),
    state: 'failed',
    at: NOW,
    running_since: null,
    failure: {
      class: 'auth',
      reason: text('failure reason'),
      stage: text('stage'),
      tool: 'codex',
      sentence: text('failure sentence'),
      evidence: text('failure evidence'),
    },
    asks: null,
    calls: { used: 3, budget: 10 },
    tokens: 1234,
    usd: 0.42,
    unknown: { tokens: 1, usd: 2 },
    stages: [
      {
        stage: text('stage'),
        tool: 'gemini',
        stand_ins: [],
        state: 'done_earlier',
        attempts: 1,
        ms: 1200,
        tokens: 900,
        usd: 0.4,
        unknown: { tokens: 0, usd: 0 },
      },
      {
        stage: 'codex_review',
        tool: 'codex',
        stand_ins: [standIn(text)],
        state: 'failed_earlier',
        attempts: 2,
        ms: null,
        tokens: null,
        usd: null,
        unknown: { tokens: 2, usd: 2 },
      },
    ],
    attempts: [1, 2, 3].map((n) => ({
      call_id: `call-${n}`,
      run_id: 'run-1',
      stage: text('stage'),
      tool: 'gemini',
      attempt: n,
      at: NOW,
      ms: 900,
      deadline_at: LATER,
      ending: n === 2 ? null : 'exited',
      class: ['quota', null, 'transient'][n - 1]!,
      reason: [text('first reason'), null, 'overloaded'][n - 1]!,
      decision: n === 3 ? { action: 'retry', why: text('why') } : null,
      session_id: n === 3 ? SESSION : null,
      session_kept: n === 3,
      tokens: 300,
      usd: null,
    })),
    gates: [
      {
        schema: 1,
        stage: text('stage'),
        tool: 'codex',
        call_id: 'call-2',
        at: NOW,
        passed: false,
        checks: [{ check: 'sections', passed: false }],
        findings: [
          {
            check: 'sections',
            class: 'contract_violation',
            reason: 'missing_sections',
            missing: [text('missing')],
            text: text('finding'),
            next_actions: [],
          },
        ],
      } as unknown as ResourcesOf['task']['gates'][number],
    ],
    left_running: null,
    restarted: false,
    supervision: {
      instruction: text('instruction'),
      errors: 1,
      iterations: [{ iteration: 1, reasoner: 'Success', errors: '0', action: 'Ask', instruction: text('instruction') }],
    },
    lacks: [text('lack')],
    summary: text('summary'),
    texts: [
      { name: 'outputs/one.out', what: 'answer', bytes: 20 },
      { name: 'outputs/one.err', what: 'stderr', bytes: 20 },
      { name: text('file'), what: 'prompt', bytes: 20 },
    ],
    next_actions: [
      toDo(text('next action')),
      toType(text('next command'), `tollgate run ${TASK}`, 'pays'),
      toType(text('next check'), 'tollgate preflight'),
    ],
  };
}

type Explanation = NonNullable<ResourcesOf['explain']['explanation']>;

export function toldExplanation(text: Texts): Explanation {
  return {
    schema: 1,
    task_id: TASK,
    of: 'last_failure',
    stage: text('failed stage'),
    tool: 'codex',
    call_id: 'call-2',
    at: NOW,
    resolved_at: null,
    sentence: text('sentence'),
    class: 'auth',
    meaning: text('meaning'),
    reason: text('reason'),
    evidence: { source: text('source'), text: text('evidence') },
    rule: { id: text('rule'), of: 'project', row: null },
    signature: text('signature'),
    signed: { source: 'event', normalised: text('normalised') },
    seen: { in_run: 1, in_life: 2, first_seen: NOW, last_seen: NOW },
    decision: { action: 'stop', why: text('decision') },
    retry: { first: 'stop', again: 'stop', report: 'stop at once' },
    retry_at: null,
    findings: [],
    next_actions: [toDo(text('action'))],
  } as unknown as Explanation;
}

export function toldNow(text: Texts): Resources['/api/now'] {
  const call = { call_id: 'call-9', stage: text('running stage'), tool: 'claude' as const, attempt: 2, since: NOW };
  return {
    totals: {
      tasks: 3,
      done: 1,
      failed: 1,
      interrupted: 0,
      refused: 0,
      parked: 1,
      running: 1,
      never_run: 0,
      unreadable: 0,
      gone: 0,
    },
    tasks: [
      {
        task_id: 'flaky-checkout',
        folder: text('folder'),
        state: 'running',
        since: NOW,
        running: [{ ...call, stand_ins: [standIn(text)], deadline_at: LATER, last: text('last'), tokens: 12 }],
        waits: { what: 'tree', behind: [text('behind')], stage: text('waiting stage') } as never,
        tokens: 12,
        calls: { used: 1, budget: 10 },
        stage: null,
        class: null,
        reason: null,
        message: null,
      },
    ],
    questions: [{ task_id: 'invoice-dates', question: text('question'), worker_said: text('worker said') }],
    answered: ['invoice-rounding'],
    still_running: [{ task_id: 'killed-run', tool: text('running tool') }],
    heard: { 'call-9': NOW },
  };
}

const standIn = (text: Texts): StandIn => ({
  tool: 'codex',
  model: text('model that stands in'),
  in_place_of: { tool: 'claude', model: text('model') },
  reason: 'quota',
});
