// A whole world as the contract has it, with the texts of a test in every field that holds one.

import type { BookShown } from '../../../console/contract/distill.ts';
import type { Resources, ResourcesOf } from '../../../console/contract/resources.ts';
import { partOf } from '../../../console/page/live/address.ts';

export const NOW = '2026-11-25T02:00:00.000Z';
const LATER = '2099-01-01T00:00:00.000Z';
const TASK = 'price-rounding';
const SESSION = '58d9e1b3-73c5-4137-8fc7-bac02f7e65df';
const BOOK = 'walden';

/** Where one has to go to see all of it. */
export const PLACES = [
  'now',
  'tasks',
  `tasks/${TASK}`,
  `tasks/${TASK}/attempts`,
  `tasks/${TASK}/gate`,
  `tasks/${TASK}/changes`,
  `tasks/${TASK}/texts`,
  `tasks/${TASK}/explain`,
  'failures',
  'budgets',
  'sessions',
  `sessions/${SESSION}`,
  'supervise',
  'distill',
  `distill/${BOOK}`,
  'machine',
];

/** @param text for each field that people, models, CLIs or files fill, by its name. */
export function toldWorld(text: (field: string) => string = (field) => `a ${field}`): Record<string, unknown> {
  const task: ResourcesOf['task'] = {
    task_id: TASK,
    folder: text('folder'),
    goal: text('goal'),
    state: 'failed',
    at: NOW,
    calls: { used: 3, budget: 10 },
    tokens: 1234,
    usd: 0.42,
    stages: [
      { stage: text('stage'), tool: 'gemini', state: 'done', attempts: 1, ms: 1200, tokens: 900, usd: 0.4 },
      { stage: 'codex_review', tool: 'codex', state: 'failed', attempts: 2, ms: null, tokens: null, usd: null },
    ],
    attempts: [1, 2, 3].map((n) => ({
      call_id: `call-${n}`,
      stage: text('attempt'),
      tool: 'gemini',
      attempt: n,
      at: NOW,
      ms: 900,
      ending: n === 3 ? null : 'exited',
      class: n === 2 ? 'transient' : null,
      reason: n === 2 ? 'overloaded' : null,
      decision: n === 2 ? { action: 'retry', why: text('why') } : null,
      tokens: 300,
      usd: null,
    })),
    gates: [
      {
        schema: 1,
        stage: text('gated'),
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
    summary: text('summary'),
    texts: [
      { name: 'outputs/one.out', what: 'answer', bytes: 20 },
      { name: 'outputs/one.err', what: 'stderr', bytes: 20 },
      { name: text('file'), what: 'prompt', bytes: 20 },
    ],
    next_actions: [text('next action')],
  };
  const explanation = {
    schema: 1,
    task_id: TASK,
    of: 'last_failure',
    stage: text('failed stage'),
    tool: 'codex',
    call_id: 'call-2',
    at: NOW,
    resolved_at: null,
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
    next_actions: [text('action')],
  } as unknown as NonNullable<ResourcesOf['explain']['explanation']>;
  const call = { call_id: 'call-9', stage: text('running stage'), tool: 'claude' as const, attempt: 2, since: NOW };
  const now: Resources['/api/now'] = {
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
        running: [{ ...call, deadline_at: LATER, last: text('last'), tokens: 12 }],
        waits: { what: 'tree', behind: [text('behind')], stage: text('waiting stage') } as never,
        tokens: 12,
        calls: { used: 1, budget: 10 },
        stage: null,
        class: null,
        reason: null,
        message: null,
      },
    ],
    questions: [{ task_id: 'invoice-dates', question: text('question') }],
  };
  const book: BookShown = {
    name: BOOK,
    state: 'paused (refusal)',
    model: text('model'),
    sections: 2,
    held_section: 3,
    tokens: 4321,
    usd: 0.1,
    calls: { used: 3, total: 40 },
    evidence: text('evidence'),
    next_actions: [text('next')],
    waits_until: LATER,
    document: [
      { section: 1, title: text('title'), chars: 400, text: text('section'), state: 'kept' },
      { section: 3, title: 'The pond', chars: 400, text: text('held'), state: 'held' },
    ],
    trace: [text('trace')],
  };
  const world: { [P in keyof Resources]: Resources[P] } = {
    '/api/page': { token: 'of-the-page', folder: text('project'), version: '0.1.0' },
    '/api/now': now,
    '/api/tasks': {
      tasks: [
        { ...task, stage: text('stage'), class: 'transient', reason: text('reason'), signature: text('signature') },
        { ...task, task_id: 'release-notes', state: 'done', stage: null, class: null, reason: null, signature: null },
      ],
    },
    '/api/failures': {
      groups: [
        {
          signature: text('signature'),
          class: 'transient',
          reason: text('reason'),
          task_ids: [TASK],
          first_seen: NOW,
          last_seen: NOW,
          evidence: text('evidence'),
        },
      ],
    },
    '/api/budgets': {
      budgets: [{ tool: 'any', per: 'day', unit: 'calls', most: 50, used: 45, left: 5, until: LATER, project: null }],
      at_once: [{ tool: 'gemini', most: 3, project: null }],
      per_minute: [],
      open: [{ call_id: 'call-9', tool: 'claude', since: NOW }],
      holds: [{ tool: 'gemini', account: 'a', model: text('model'), reason: text('hold'), since: NOW, until: LATER }],
    },
    '/api/spent': {
      tools: ['gemini', 'codex'],
      days: [
        { day: '2026-11-24', by_tool: { gemini: { calls: 3, tokens: 400, usd: 0.1 } } },
        {
          day: '2026-11-25',
          by_tool: { gemini: { calls: 5, tokens: 800, usd: 0.2 }, codex: { calls: 1, tokens: 90, usd: 0 } },
        },
      ],
    },
    '/api/sessions': {
      sessions: [
        {
          tag: text('tag'),
          tool: 'claude',
          session_id: SESSION,
          last_used: NOW,
          error_count: 1,
          turns: 3,
          context_tokens: 1200,
          health: text('health'),
        },
      ],
    },
    '/api/health': {
      days_without: 9,
      last_unrecovered: '2026-11-16T00:00:00.000Z',
      days: [{ day: '2026-11-16', unrecovered: 1, recovered: 2, users: 0, open: 0 }],
    },
    '/api/supervise': {
      supervisions: [
        {
          task_id: 'invoice-dates',
          state: 'parked',
          question: text('question'),
          instruction: text('instruction'),
          errors: 1,
          iterations: [
            { iteration: 1, reasoner: 'Success', errors: '0', action: 'Ask', instruction: text('instruction') },
          ],
          at: NOW,
        },
      ],
    },
    '/api/distill': { distillations: [book] },
    '/api/machine': {
      findings: [
        { check: text('check'), status: 'ok', found: text('found'), fix: null },
        { check: 'codex', status: 'fail', found: 'codex is not installed', fix: text('fix') },
      ],
      clis: [
        { tool: 'gemini', version: text('version'), path: '/usr/bin/gemini', signed_in: text('sign-in') },
        { tool: 'codex', version: null, path: null, signed_in: '' },
      ],
    },
  };
  const session: ResourcesOf['session'] = {
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
      },
      {
        number: 2,
        at: NOW,
        prompt: text('taken back'),
        items: [{ how: 'said', text: text('taken answer') }],
        tokens: null,
        state: 'reverted',
        part: 'whole',
      },
    ],
    redo: [{ n: 1, at: NOW, next: true }],
    notes: [text('session note')],
    health: { lines: ['2 turns', text('flaw')], flawed: true },
  };
  const opened: ResourcesOf['text'] = { text: text('file text'), cut: 0 };
  const below = `/api/tasks/${TASK}`;
  return {
    ...world,
    [below]: task,
    [`${below}/explain`]: { explanation, message: '' } satisfies ResourcesOf['explain'],
    [`${below}/diff`]: {
      text: `diff --git a/x b/x\n@@ -1 +1 @@\n-${text('removed')}\n+${text('added')}\n`,
      notes: [text('diff note')],
    } satisfies ResourcesOf['diff'],
    [`${below}/texts/outputs%2Fone.out`]: opened,
    [`${below}/texts/outputs%2Fone.err`]: opened,
    [`${below}/texts/${partOf(text('file'))}`]: opened,
    [`/api/sessions/${SESSION}`]: session,
    [`/api/distill/${BOOK}`]: book,
  };
}
