// A whole world as the contract has it, with the texts of a test in every field that holds one.

import type { Resources, ResourcesOf } from '../../../console/contract/resources.ts';
import type { DraftShown } from '../../../console/contract/task.ts';
import { partOf } from '../../../console/page/live/requests.ts';
import { toldBook, toldSession } from './told-conversations.ts';
import { BATCH, BOOK, COMPARISON, LATER, NOW, SESSION, TASK, type Texts } from './told-names.ts';
import { toldExplanation, toldNow, toldTask } from './told-task.ts';

/** Where one has to go to see all of it. */
export const PLACES = [
  'now',
  'tasks',
  'new',
  `tasks/${TASK}`,
  `tasks/${TASK}/changes`,
  `tasks/${TASK}/manifest`,
  `tasks/${TASK}/raw`,
  'failures',
  'budgets',
  'sessions',
  `sessions/${SESSION}`,
  'supervise',
  'compare',
  `compare/${COMPARISON}`,
  'batch',
  `batch/${BATCH}`,
  'distill',
  `distill/${BOOK}`,
  'machine',
  'fleet',
];

function toldFleet(text: Texts): Resources['/api/fleet'] {
  const unread = { pool: 'default', submitted_at: NOW, ended_at: null, epoch: 1, open_calls: 0, exit_code: null };
  const known = { project: text('remote'), at: NOW, tokens: 12, usd: null, lost_calls: 1, late_calls: 1 };
  const common = { ...unread, ...known, reason: null, signature: null, evidence: null };
  const failed = { class: 'auth', sentence: text('sentence of the fleet') } as const;
  const works = { class: null, sentence: null, calls: { used: 1, budget: 10 } };
  return {
    schema: 1,
    place: text('database'),
    at: NOW,
    groups: [],
    totals: { tasks: 300, failed: 1, lost: 1, running: 1 },
    tasks: [
      {
        ...common,
        ...works,
        ...failed,
        id: '3',
        task_id: 'bad',
        state: 'failed',
        worker: null,
        stage: text('stage'),
        message: null,
      },
      {
        ...common,
        ...works,
        id: '2',
        task_id: text('lost task'),
        state: 'lost',
        worker: null,
        stage: null,
        message: text('message'),
      },
      {
        ...common,
        ...works,
        id: '1',
        task_id: 'works',
        state: 'running',
        worker: text('worker'),
        stage: 'do',
        message: null,
      },
    ],
    workers: [
      { id: '1', name: text('worker'), version: text('version'), draining: false, tasks: 1, lease_seconds: 25 },
      { id: '2', name: 'other', version: '0.1.0', draining: true, tasks: 0, lease_seconds: -70 },
    ],
    limits: [
      {
        tool: 'codex',
        account: text('account'),
        at_once: 3,
        per_minute: null,
        running: 1,
        held_seconds: 90,
        hold_reason: text('reason'),
      },
    ],
    budgets: [{ scope: text('pool'), calls: null, used: 4 }],
  };
}

export function toldWorld(text: Texts = (field) => `a ${field}`): Record<string, unknown> {
  const task = toldTask(text);
  const book = toldBook(text);
  const world: { [P in keyof Resources]: Resources[P] } = {
    '/api/page': { token: 'of-the-page', folder: text('project'), version: '0.1.0', fleet: true },
    '/api/fleet': toldFleet(text),
    '/api/now': toldNow(text),
    '/api/tasks': {
      tasks: [
        {
          ...task,
          calls_without_price: 2,
          next_run: { tools: ['gemini'], is_open: false, most: 9 },
          stage: text('stage'),
          class: 'transient',
          reason: text('reason'),
          signature: text('signature'),
          why: text('sentence'),
          to_do: text('first step'),
        },
        {
          ...task,
          calls_without_price: 0,
          next_run: { tools: ['gemini', 'codex'], is_open: false, most: 9 },
          task_id: 'release-notes',
          state: 'done',
          stage: null,
          class: null,
          reason: null,
          signature: null,
          why: null,
          to_do: null,
        },
      ],
    },
    '/api/failures': {
      groups: [
        {
          signature: text('signature'),
          class: 'transient',
          reason: text('reason'),
          sentence: text('sentence'),
          task_ids: [TASK],
          first_seen: NOW,
          last_seen: NOW,
          evidence: text('evidence'),
          tools: ['gemini'],
          count: 3,
          trend: [
            { day: '2026-11-24', tasks: 0 },
            { day: '2026-11-25', tasks: 1 },
          ],
          next_action: { text: text('way out'), command: text('command'), pays: false, changes: null },
        },
      ],
    },
    '/api/budgets': {
      schema: 1,
      budgets: [
        {
          tool: 'any',
          per: 'day',
          unit: 'calls',
          most: 50,
          used: 45,
          left: 5,
          unknown_calls: 0,
          from: NOW,
          until: LATER,
          time_zone: 'UTC',
          counted_since: NOW,
          project: null,
          file: '/home/limits.json',
        },
      ],
      at_once: [{ tool: 'gemini', most: 3, project: null }],
      per_minute: [],
      open: [{ call_id: 'call-9', tool: 'claude', pid: 9, since: NOW }],
      holds: [{ tool: 'gemini', account: 'a', model: text('model'), reason: text('hold'), since: NOW, until: LATER }],
    },
    '/api/spent': {
      tools: ['gemini', 'codex'],
      days: [
        { day: '2026-11-24', by_tool: { gemini: { ...SPENT, calls: 3, tokens: 400, usd: 0.1 } } },
        {
          day: '2026-11-25',
          by_tool: {
            gemini: { ...SPENT, calls: 5, tokens: 800, usd: 0.2 },
            codex: { ...SPENT, calls: 1, tokens: 90, usd: 0, calls_without_price: 1 },
          },
        },
      ],
    },
    '/api/sessions': {
      sessions: [
        {
          tag: text('tag'),
          goal: text('goal of the tag'),
          made_by: { task_id: TASK, stage: text('stage of the tag') },
          tool: 'claude',
          session_id: SESSION,
          last_used: NOW,
          error_count: 1,
          turns: 3,
          context_tokens: 1200,
          health: text('health'),
          kept: true,
        },
        {
          ...{ tag: 'of-codex', goal: null, tool: 'codex', session_id: 'session-2', last_used: NOW },
          made_by: { task_id: TASK, stage: 'codex_impl' },
          ...{ error_count: 0, turns: null, context_tokens: null, health: 'unknown', kept: false },
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
          worker_said: text('worker said'),
          answer_waits: false,
          instruction: text('instruction'),
          errors: 1,
          iterations: 1,
          at: NOW,
        },
      ],
    },
    '/api/compare': {
      comparisons: [
        {
          comparison_id: COMPARISON,
          at: NOW,
          names: [text('variant'), 'codex'],
          picked: text('variant'),
          removed: false,
        },
      ],
    },
    '/api/batch': { batches: [{ ...toldBatch(text), causes: [text('why')] }] },
    '/api/distill': { distillations: [book] },
    '/api/choices': {
      tools: [
        { tool: 'gemini', lacks: null, note: text('note') },
        { tool: 'codex', lacks: text('lack'), note: null },
      ],
      roles: [
        { role: 'brief', access: 'read', accepts: false },
        { role: text('role'), access: 'read', accepts: false },
      ],
      pipelines: [{ name: text('pipeline'), stages: [{ tool: 'codex', role: text('role') }] }],
      tests: text('tests'),
    },
    '/api/schema': { properties: { goal: { type: 'string', description: text('field help') } } },
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
  const opened: ResourcesOf['text'] = { text: text('file text'), cut: 0 };
  const below = `/api/tasks/${TASK}`;
  return {
    ...world,
    [below]: task,
    [`${below}/explain`]: { explanation: toldExplanation(text), message: '' } satisfies ResourcesOf['explain'],
    [`${below}/diff`]: {
      stages: [{ stage: 'codex_impl', changed: 2, kept: true }],
      whole: true,
      why_none: null,
    } satisfies ResourcesOf['diffs'],
    [`${below}/diff/codex_impl`]: toldDiff(text),
    [`${below}/diff/*`]: toldDiff(text),
    [`${below}/texts/outputs%2Fone.out`]: opened,
    [`${below}/texts/outputs%2Fone.err`]: opened,
    [`${below}/texts/${partOf(text('file'))}`]: opened,
    [`/api/sessions/${SESSION}`]: toldSession(text),
    [`/api/compare/${COMPARISON}`]: toldComparison(text),
    [`/api/batch/${BATCH}`]: toldBatch(text),
    [`/api/distill/${BOOK}`]: book,
    '/api/draft': toldDraft(text),
    [`${below}/manifest`]: toldManifest(text),
    '/api/manifest/check': { ...toldDraft(text), problems: [{ line: 1, message: text('mistake') }] },
  };
}

const toldBatch = (text: Texts): ResourcesOf['batch'] => ({
  ...{ batch_id: BATCH, task_ids: [TASK, text('task')], at: NOW, state: 'failed' },
  totals: { tasks: 2, done: 1, calls: 3, duration_ms: 61_000 },
  tasks: [
    { task_id: TASK, state: 'failed', calls: 2, why: text('sentence') },
    { task_id: text('task'), state: 'refused', calls: 0, why: text('message') },
  ],
  failures: [
    {
      ...{ sentence: text('sentence'), class: 'auth', reason: text('reason'), count: 1, task_ids: [TASK] },
      next_actions: [{ text: text('step'), command: 'tollgate run price-rounding', pays: true, changes: null }],
    },
  ],
  notes: [text('note')],
  next_actions: [{ text: text('action'), command: 'tollgate batch --from left.txt', pays: true, changes: null }],
});

const toldComparison = (text: Texts): ResourcesOf['comparison'] => {
  const common = { model: null, account: null, evidence: null, duration_ms: 1200, calls: 1, unpriced_calls: 1 };
  const paid = { ...common, tokens: 18, usd: null, diff_problem: null };
  return {
    report: {
      schema: 1,
      ...{ comparison_id: COMPARISON, state: 'failed', exit_code: 1, at: NOW, task_id: null, goal: text('goal') },
      base: '0123456789abcdef0123456789abcdef01234567',
      variants: [
        {
          ...{ n: 1, name: text('variant'), tool: 'claude', task_id: `${COMPARISON}-1`, state: 'done', ...paid },
          ...{ class: null, reason: null, sentence: null, gate: 'passed', verdict: text('verdict') },
          lacks: [text('lack')],
          ...{ diff: { files: 1, added: 1, removed: 1 }, answer: text('answer'), commit: 'abcdef' },
          files: { answer: null, diff: null, worktree: null },
        },
        {
          ...{ n: 2, name: 'codex', tool: 'codex', task_id: `${COMPARISON}-2`, state: 'interrupted', ...paid },
          ...{ class: 'transient', reason: text('reason'), sentence: text('sentence'), evidence: text('evidence') },
          ...{
            gate: null,
            verdict: null,
            lacks: [],
            diff: null,
            diff_problem: text('problem'),
            answer: null,
            commit: null,
          },
          files: { answer: null, diff: null, worktree: null },
        },
      ],
      budget: { calls: 4, tokens: null, usd: null },
      ...{ picked: null, removed: null, notes: [], next_actions: [] },
      files: { folder: '', report: '', page: '' },
    },
    diffs: { 1: toldDiff(text).text },
  };
};

export const toldDraft = (text: Texts): DraftShown => ({
  problems: [],
  forecast: {
    stages: [
      {
        ...{ stage: text('stage'), tool: 'gemini', calls: true, prompt_chars: 1234 },
        ...{ commands: [text('command')], warnings: [text('warning')] },
      },
    ],
    budget: { used: 0, total: 10 },
    retries: 2,
  },
  notes: [text('note')],
});

const toldManifest = (text: Texts): ResourcesOf['manifest'] => ({
  ...{ name: 'manifest.yaml', text: `goal: ${text('manifest')}\n`, version: text('manifest'), locked: null },
});

const SPENT = { calls_without_tokens: 0, calls_without_price: 0 };

function toldDiff(text: Texts): ResourcesOf['diff'] {
  const changed = `diff --git a/x.ts b/x.ts\n@@ -1 +1 @@\n-${text('removed')}\n+${text('added')}\n`;
  return {
    text: changed,
    earlier: changed,
    changes: [{ path: text('changed file'), how: 'modified' }],
    outside: ['x'],
    notes: [text('diff note')],
    command: text('command'),
  };
}
