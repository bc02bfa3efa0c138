// Defines the schema of a line of the journal: one for each fact.

import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import type { Cap } from '../../../policies/limits/caps.ts';
import type { CallTerms } from '../../../policies/manifest/call-terms.ts';
import type { Fact } from '../../../state/journal/facts.ts';
import { JOURNAL_VERSION } from '../../../state/journal/facts.ts';
import {
  amount,
  count,
  ending,
  errorClass,
  type Fields,
  flag,
  hash,
  is,
  list,
  one,
  orNull,
  reason,
  record,
  type Schema,
  signature,
  text,
  texts,
  time,
  tool,
  whole,
} from './parts.ts';
import { STAND_IN } from './stand-in.ts';
import { entry } from './state.ts';

type Of<F extends Fact['fact']> = Omit<Extract<Fact, { fact: F }>, 'fact'>;
/** The fields of all its actions. */
interface Reasoned extends Omit<Of<'reasoned'>, 'action'> {
  action: string;
  instruction?: string;
  text?: string;
  refused?: string[];
  class?: string;
  reason?: string | null;
}
type Budget<From> = Omit<Extract<Fact, { fact: 'budget'; from: From }>, 'fact'>;

export const owner = (description: string) =>
  record<ProcessIdentity>(description, {
    pid: count('Its number'),
    start_time: text("The kernel's start time of it, as text"),
    host: text('The machine'),
    boot_id: text('The boot of the machine'),
    pid_ns: text('The PID namespace'),
  });

const CAP = record<Cap>('A cap', {
  max: amount('The most'),
  of: one("What sets it: the caller, or what remained of the task's budget or of a limit over all tasks", [
    'call',
    'task',
    'limit',
  ]),
});

const terms = record<CallTerms>(
  'The terms of the reservation, which apply when the call is settled',
  {
    marker: text('What its processes bear: the calls that it was made from within, and its own'),
    started_at: time('When it was prepared'),
    clocks: record<CallTerms['clocks']>('The clocks of the machine then, in milliseconds', {
      steadyMs: amount('Awake'),
      bootMs: amount('Since its start'),
    }),
    limits: record<CallTerms['limits']>(
      'Its limits',
      {
        timeoutMs: amount('Its time'),
        timeoutMode: one('Whether that ends it, or twice as much does', ['enforce', 'wait_done']),
        idleTimeoutMs: orNull(amount('Without a byte of output'), 'no limit'),
        startTimeoutMs: orNull(amount('Until its first byte'), 'no limit'),
        maxTurns: orNull(count('Requests to the model'), 'no limit'),
        maxOutputBytes: amount('Of its output'),
        caps: record<NonNullable<CallTerms['limits']['caps']>>('The tokens and dollars that it may use', {
          tokens: orNull(CAP, 'no cap'),
          usd: orNull(CAP, 'no cap'),
          model: orNull(text('The requested model'), 'the CLI chose it'),
          prices: { type: 'object', description: 'US dollars for a million tokens, by model' },
        }),
      },
      ['caps'],
    ),
    temporary: text("The CLI's own $TMPDIR"),
    overlay_folders: texts('Folders made for it elsewhere'),
    folder: text('The folder of the attempt, from the root'),
  },
  ['folder'],
);

const run_id = text('The run');
const call_id = text('The call');
const stage = text('The stage');
const at_offset = count('The byte of the journal that the view was made at');

function line<T extends object>(
  fact: Fact['fact'],
  description: string,
  fields: Fields<T>,
  optional: Parameters<typeof record<T>>[2] = [],
): Schema {
  const { properties, required, ...rest } = record<T>(description, fields, optional) as Schema & { required: string[] };
  const shared = {
    v: is(JOURNAL_VERSION, 'The format of the line'),
    at: time('When it was written'),
    fact: is(fact, description),
  };
  return { ...rest, properties: { ...shared, ...(properties as object) }, required: ['v', 'at', 'fact', ...required] };
}

const LINES: readonly Schema[] = [
  line<Of<'claimed'>>(
    'claimed',
    'A run owns the task',
    {
      run_id,
      over: orNull(text('A run that died without releasing the task'), 'there was none'),
      owner: owner('The process of the run'),
      stages: texts('The stages of the manifest, of a task that has stages'),
    },
    ['stages'],
  ),
  line<Of<'released'>>('released', 'A run ended', {
    run_id,
    exit_code: count('Its exit code'),
    state: one('How it ended; refused: a mistake was found, and nothing was run; parked: a question waits', [
      'done',
      'failed',
      'interrupted',
      'refused',
      'parked',
    ]),
  }),
  line<Budget<'manifest'>>('budget', 'What the task may pay', {
    calls: count('Paid calls in all'),
    from: one('Who says so', ['manifest', 'command']),
  }),
  line<Budget<'stats'>>('budget', 'What the task may pay, as a person edited it in stats.json', {
    calls: count('Paid calls in all'),
    from: is('stats', 'Who says so'),
    at_offset,
  }),
  line<Of<'reserved'>>(
    'reserved',
    'A paid call is wanted: granted while fewer are granted than the budget',
    {
      call_id,
      run_id: orNull(run_id, 'a wrapper on its own'),
      stage,
      tool,
      account: text("The account of the user's settings; absent for the login of the environment"),
      attempt: count('Which call of the stage, from 1'),
      for_prompt: orNull(hash("The stage's prompt"), 'a wrapper on its own'),
      guardian: owner('The process that guards the call'),
      deadline_at: time('When the call ends at the latest'),
      terms,
      nested_calls: count('How many calls its agent may charge to this task from within it; absent is none'),
      within: text('The call of this task from within which it is made'),
    },
    ['account', 'terms', 'nested_calls', 'within'],
  ),
  line<Of<'started'>>(
    'started',
    'The CLI runs',
    {
      call_id,
      cli: orNull(owner('Its process'), 'it was gone at once'),
      draft_sha256: hash('Of its attempt.json as its wrapper wrote it'),
    },
    ['draft_sha256'],
  ),
  line<Of<'ended'>>('ended', 'The CLI is gone', {
    call_id,
    ending,
    native_exit_code: orNull(whole('Its own exit code'), 'it ended otherwise'),
    signal: orNull(text('The signal that ended it'), 'none did'),
  }),
  line<Of<'verdict'>>(
    'verdict',
    'What the call came to',
    {
      call_id,
      class: orNull(errorClass, 'a success'),
      reason: orNull(reason, 'a success'),
      signature: orNull(signature('Of the failure'), 'a success, or it has none'),
      retry_at: orNull(time('Before it a call is in vain'), 'the service did not say'),
      exit_code: count("The wrapper's exit code"),
      lacks: list(
        'What a success lacks, such as a tool that was denied; absent if it lacks nothing',
        text('In a sentence'),
      ),
    },
    ['lacks'],
  ),
  line<Of<'session'>>(
    'session',
    "What is known of a tag's session after a call, should sessions.json be lost",
    {
      tag: text('meta.feature, or the id of a task'),
      tool,
      folder: orNull(text('The only folder that it is good for'), 'it is good for any'),
      account: text('The only account that it is good for; absent for the login of the environment'),
      entry: orNull(entry, 'the tag has none any more'),
    },
    ['account'],
  ),
  line<Of<'decided'>>(
    'decided',
    'What is done about a failure',
    {
      run_id,
      stage,
      action: text('What is done'),
      why: text('Why, as half a sentence'),
      wait_ms: amount('How long is waited before it, in milliseconds'),
      stand_in: STAND_IN,
    },
    ['stand_in'],
  ),
  line<Of<'gate'>>(
    'gate',
    'What the gate of a stage said',
    {
      stage,
      passed: flag('Whether nothing was found'),
      missing: texts('What is missing or out of bounds, by name'),
      call_id,
      class: orNull(errorClass, 'nothing was found'),
      reason: orNull(reason, 'nothing was found'),
      signature: orNull(signature('Of what was found'), 'nothing was found'),
      verdict: orNull(one("What the answer's section Verdict says", ['PASS', 'FAIL']), 'it says neither'),
    },
    ['verdict'],
  ),
  line<Of<'done'>>('done', 'A stage is done', {
    stage,
    call_id: orNull(call_id, 'none of its own'),
    prompt_sha256: hash("Of the stage's prompt"),
  }),
  line<Of<'kept'>>('kept', 'A person keeps an answer: it counts for this prompt too', {
    stage,
    call_id: orNull(call_id, 'none of its own'),
    prompt_sha256: hash("Of the stage's prompt"),
  }),
  line<Of<'reopened'>>(
    'reopened',
    'A stage is no longer done',
    { stage, redo: flag('true: the user wants another answer, and those that a gate has looked at no longer count') },
    ['redo'],
  ),
  line<Of<'supervised'>>('supervised', 'A supervision begins, or begins again', {
    run_id,
    supervision: text('Its id'),
    goal: hash('Of the goal, which is the first instruction'),
  }),
  line<Of<'instructed'>>('instructed', 'An iteration begins; written before its worker is paid', {
    run_id,
    iteration: count('Which, from 1'),
    instruction: hash('Of the current instruction, which is in state/supervise'),
    worker: one('Whether the worker is called; spared if only the reasoner has something new', ['asked', 'spared']),
  }),
  line<Of<'worked'>>('worked', 'The worker answered', {
    run_id,
    iteration: count('Which'),
    call_id,
    changed: count('Paths that it changed'),
    failed: texts('Checks of the gate that it did not pass'),
  }),
  line<Reasoned>(
    'reasoned',
    'The reasoner answered, or failed; written before the worker is called again',
    {
      run_id,
      iteration: count('Which'),
      call_id: orNull(call_id, 'none was made'),
      notes: texts('The notes of users that it received'),
      action: one('What it says; error: it failed', ['continue', 'done', 'no_op', 'save_session', 'ask', 'error']),
      instruction: hash('Of the next instruction; of continue alone'),
      text: text('Summary, reason, question or failure'),
      refused: texts('Why a done is not believed; of done alone'),
      class: errorClass,
      reason: orNull(reason, 'none is known'),
    },
    ['instruction', 'text', 'refused', 'class', 'reason'],
  ),
  line<Of<'noted'>>('noted', 'A person says something to the reasoner', {
    note: text('Its name, by which it counts once'),
    text: hash('Of the text, which is in state/supervise'),
  }),
  line<Of<'left'>>('left', 'The loop ended', {
    run_id,
    how: one('How', ['done', 'saved', 'parked', 'stopped', 'interrupted']),
    why: { ...text('Why'), minLength: 0 },
  }),
  line<Of<'reset'>>('reset', 'The count of paid calls was set', { used: count('Paid calls so far'), at_offset }),
];

export const JOURNAL: Schema = { description: 'A line of state/journal.jsonl: one fact', type: 'object', anyOf: LINES };
