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
    pid: count('Id of the process'),
    start_time: text('Start time of the process as the kernel reports it, as text'),
    host: text('Name of the machine'),
    boot_id: text('Id of the boot of the machine'),
    pid_ns: text('PID namespace of the process'),
  });

const CAP = record<Cap>('Maximum number of tokens, or maximum cost, of the call', {
  max: amount('The maximum, in tokens or US dollars'),
  of: one(
    'Source of the maximum: the caller, the rest of the budget of the task, or the rest of a limit over all tasks',
    ['call', 'task', 'limit'],
  ),
});

const terms = record<CallTerms>(
  'Terms of the call, which apply if its guardian dies before the result is known; absent in older lines',
  {
    marker: text(
      'Marker in the environment of the processes of the call: the ids of the enclosing calls, and its own id',
    ),
    started_at: time('Time when the call was prepared'),
    clocks: record<CallTerms['clocks']>('Clocks of the machine when the call was prepared', {
      steadyMs: amount('Time that the machine was awake, without sleep, in milliseconds'),
      bootMs: amount('Time since the start of the machine, including sleep, in milliseconds'),
    }),
    limits: record<CallTerms['limits']>(
      'Limits of the call',
      {
        timeoutMs: amount('Time limit of the call, in milliseconds'),
        timeoutOf: one('Set if the time limit is the rest of the time of the task', ['task']),
        timeoutMode: one('Whether the call ends at its time limit (enforce), or at twice that time (wait_done)', [
          'enforce',
          'wait_done',
        ]),
        idleTimeoutMs: orNull(amount('Maximum time without output, in milliseconds'), 'there is no limit'),
        startTimeoutMs: orNull(amount('Maximum time until the first output, in milliseconds'), 'there is no limit'),
        maxTurns: orNull(count('Maximum number of turns of the agent'), 'there is no limit'),
        maxOutputBytes: amount('Maximum size of the output, in bytes'),
        caps: record<NonNullable<CallTerms['limits']['caps']>>(
          'Limits of tokens and cost; absent if the call has neither',
          {
            tokens: orNull(CAP, 'there is no maximum'),
            usd: orNull(CAP, 'there is no maximum'),
            model: orNull(text('Requested model'), 'the CLI chooses it'),
            prices: { type: 'object', description: 'Prices in US dollars for a million tokens, by model' },
          },
        ),
      },
      ['timeoutOf', 'caps'],
    ),
    temporary: text('Path of the temporary folder of the CLI ($TMPDIR)'),
    overlay_folders: texts('Paths of other folders that were made for the call'),
    folder: text('Absolute path of the folder of the attempt; absent in older lines, and if the line was rebuilt'),
  },
  ['folder'],
);

const run_id = text('Id of the run');
const call_id = text('Id of the call');
const stage = text('Name of the stage');
const at_offset = count('Size of the journal, in bytes, that the edit or the reset is based on');

function line<T extends object>(
  fact: Fact['fact'],
  description: string,
  fields: Fields<T>,
  optional: Parameters<typeof record<T>>[2] = [],
): Schema {
  const { properties, required, ...rest } = record<T>(description, fields, optional) as Schema & { required: string[] };
  const shared = {
    v: is(JOURNAL_VERSION, 'Version of the format of the line'),
    at: time('Time when the line was written'),
    fact: is(fact, description),
  };
  return { ...rest, properties: { ...shared, ...(properties as object) }, required: ['v', 'at', 'fact', ...required] };
}

const LINES: readonly Schema[] = [
  line<Of<'claimed'>>(
    'claimed',
    'A run has claimed the task',
    {
      run_id,
      over: orNull(text('Id of a run that died without releasing the task'), 'there was none'),
      owner: owner('Process of the run'),
      stages: texts('Names of the stages in the manifest; absent for a task without stages'),
    },
    ['stages'],
  ),
  line<Of<'released'>>('released', 'A run ended', {
    run_id,
    exit_code: count('Exit code of the run'),
    state: one('How the run ended; refused: a mistake was found, and nothing was run; parked: a question waits', [
      'done',
      'failed',
      'interrupted',
      'refused',
      'parked',
    ]),
  }),
  line<Budget<'manifest'>>('budget', 'The maximum number of paid calls of the task was set', {
    calls: count('Maximum number of paid calls'),
    from: one('Source of the number: the manifest, or a command', ['manifest', 'command']),
  }),
  line<Budget<'stats'>>('budget', 'The maximum number of paid calls of the task was edited in stats.json', {
    calls: count('Maximum number of paid calls'),
    from: is('stats', 'Source of the number: stats.json'),
    at_offset,
  }),
  line<Of<'reserved'>>(
    'reserved',
    'A paid call was requested; it is granted while fewer calls are granted than the budget allows',
    {
      call_id,
      run_id: orNull(run_id, 'no run made the call'),
      stage,
      tool,
      account: text("The account of the user's settings; absent for the login of the environment"),
      attempt: count('Number of the call for this stage and prompt, from 1'),
      for_prompt: orNull(hash('SHA-256 of the prompt of the stage'), 'no run made the call'),
      guardian: owner('Process that guards the call'),
      deadline_at: time('Time at which the call is ended at the latest'),
      terms,
      nested_calls: count(
        'Number of calls that the agent may charge to this task from within the call; absent if none',
      ),
      within: text('Id of the call of this task from within which the call is made; otherwise absent'),
    },
    ['account', 'terms', 'nested_calls', 'within'],
  ),
  line<Of<'started'>>(
    'started',
    'The CLI was started',
    {
      call_id,
      cli: orNull(owner('Process of the CLI'), 'the process ended at once'),
      draft_sha256: hash('SHA-256 of attempt.json as the guardian wrote it; absent in older lines'),
    },
    ['draft_sha256'],
  ),
  line<Of<'ended'>>('ended', 'The CLI has ended', {
    call_id,
    ending,
    native_exit_code: orNull(whole('Exit code of the CLI itself'), 'the CLI did not exit with a code'),
    signal: orNull(text('Name of the signal that ended the CLI'), 'no signal ended it'),
  }),
  line<Of<'verdict'>>(
    'verdict',
    'Result of the call',
    {
      call_id,
      class: orNull(errorClass, 'the call succeeded'),
      reason: orNull(reason, 'the call succeeded'),
      signature: orNull(signature('Hash that identifies the failure'), 'the call succeeded, or there is none'),
      retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
      exit_code: count('Exit code of the wrapper'),
      lacks: list(
        'What a successful call lacks, such as a denied tool; absent if it lacks nothing',
        text('What the call lacks, in one sentence'),
      ),
    },
    ['lacks'],
  ),
  line<Of<'session'>>(
    'session',
    'Session of a tag after a call, from which a lost sessions.json is rebuilt',
    {
      tag: text('Tag of the session: meta.feature, or the id of a task'),
      tool,
      folder: orNull(text('The only folder in which the session can be used'), 'it can be used in any folder'),
      account: text('The only account that can use the session; absent for the login of the environment'),
      entry: orNull(entry, 'the tag no longer has a session'),
    },
    ['account'],
  ),
  line<Of<'decided'>>(
    'decided',
    'Decision of the run after a failure',
    {
      run_id,
      stage,
      action: text('Action of the run, such as stop'),
      why: text('Reason for the action, as part of a sentence'),
      wait_ms: amount('Waiting time before the action, in milliseconds'),
      stand_in: STAND_IN,
      refused: record<NonNullable<Of<'decided'>['refused']>>(
        'Failure of a call that was refused before its start; absent for other calls',
        {
          class: orNull(errorClass, 'there is none'),
          signature: signature('Hash that identifies the failure'),
        },
      ),
    },
    ['stand_in', 'refused'],
  ),
  line<Of<'gate'>>(
    'gate',
    'Result of the gate of a stage',
    {
      stage,
      passed: flag('Whether every check of the gate passed'),
      missing: texts('Names of what is missing or out of scope'),
      call_id,
      class: orNull(errorClass, 'the gate passed'),
      reason: orNull(reason, 'the gate passed'),
      signature: orNull(signature('Hash that identifies the findings'), 'the gate passed'),
      verdict: orNull(
        one('Verdict in the section Verdict of the answer', ['PASS', 'FAIL']),
        'there is none, or it was not read',
      ),
    },
    ['verdict'],
  ),
  line<Of<'done'>>('done', 'A stage is done', {
    stage,
    call_id: orNull(call_id, 'the stage has no call of its own'),
    prompt_sha256: hash('SHA-256 of the prompt of the stage'),
  }),
  line<Of<'kept'>>('kept', 'The user keeps an answer, which then counts for this prompt too', {
    stage,
    call_id: orNull(call_id, 'the stage has no call of its own'),
    prompt_sha256: hash('SHA-256 of the prompt of the stage'),
  }),
  line<Of<'reopened'>>(
    'reopened',
    'A stage is no longer done',
    {
      stage,
      redo: flag('Whether the user wants another answer, so that answers that a gate has checked no longer count'),
    },
    ['redo'],
  ),
  line<Of<'supervised'>>('supervised', 'A supervision began, or began again', {
    run_id,
    supervision: text('Id of the supervision'),
    goal: hash('SHA-256 of the goal, which is the first instruction'),
  }),
  line<Of<'instructed'>>('instructed', 'An iteration began; written before the call of the worker', {
    run_id,
    iteration: count('Number of the iteration, from 1'),
    instruction: hash('SHA-256 of the current instruction, whose text is in state/supervise'),
    worker: one('Whether the worker is called in the iteration; spared: only the reasoner has new input', [
      'asked',
      'spared',
    ]),
  }),
  line<Of<'worked'>>('worked', 'The worker answered', {
    run_id,
    iteration: count('Number of the iteration, from 1'),
    call_id,
    changed: count('Number of paths that the worker changed'),
    failed: texts('Names of the checks of the gate that did not pass'),
  }),
  line<Reasoned>(
    'reasoned',
    'The reasoner answered, or failed; written before the worker is called again',
    {
      run_id,
      iteration: count('Number of the iteration, from 1'),
      call_id: orNull(call_id, 'no call was made'),
      notes: texts('Names of the notes of users that the reasoner received'),
      action: one('Action that the reasoner chose; error: the reasoner failed', [
        'continue',
        'done',
        'no_op',
        'save_session',
        'ask',
        'error',
      ]),
      instruction: hash('SHA-256 of the next instruction; only for the action continue'),
      text: text('Summary, reason, question or failure, depending on the action; otherwise absent'),
      refused: texts('Why the action done was rejected; empty if it was accepted; only for the action done'),
      class: errorClass,
      reason: orNull(reason, 'unknown'),
    },
    ['instruction', 'text', 'refused', 'class', 'reason'],
  ),
  line<Of<'noted'>>('noted', 'A user wrote a note to the reasoner', {
    note: text('Name of the note; a note counts only once'),
    text: hash('SHA-256 of the text of the note, which is in state/supervise'),
  }),
  line<Of<'left'>>('left', 'The loop of the supervision ended', {
    run_id,
    how: one('How the loop ended', ['done', 'saved', 'parked', 'stopped', 'interrupted']),
    why: { ...text('Why the loop ended'), minLength: 0 },
  }),
  line<Of<'reset'>>('reset', 'The count of paid calls was set', {
    used: count('Number of paid calls so far'),
    at_offset,
  }),
];

export const JOURNAL: Schema = {
  description: 'One line of state/journal.jsonl: a fact about the task',
  type: 'object',
  anyOf: LINES,
};
