// Defines the schemas of `tollgate supervise`: the answer of a reasoner, and a saved session.

import { REASONER_SCHEMA } from '../../../policies/supervise/reasoner-answer.ts';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import { amount, count, hash, list, one, orNull, record, type Schema, text, time, tool, version } from './parts.ts';
import { ITERATION } from './run.ts';

const { title: description, ...shape } = REASONER_SCHEMA;

export const REASONER: Schema = { description, ...shape };

type Session = SessionSave['sessions']['worker'];

const session = (whose: string) =>
  record<Session>(whose, { tool, session_id: orNull(text('Id of the session in the CLI'), 'unknown') });

export const SESSION_SAVE: Schema = record<SessionSave>(
  'Content of state/session_save.json: the saved session of a supervised task',
  {
    schema: version,
    task_id: text('Id of the task'),
    saved_at: time('Time when the session was saved'),
    how: one('How the loop of the supervision ended', ['done', 'saved', 'parked', 'stopped', 'interrupted']),
    why: text('Why the loop ended'),
    sessions: record<SessionSave['sessions']>('Sessions of the worker and of the reasoner', {
      worker: session('Session of the worker'),
      reasoner: session('Session of the reasoner'),
    }),
    task: text('Goal of the task'),
    instruction: text('Current instruction for the worker, complete'),
    instruction_sha256: hash('SHA-256 of the current instruction'),
    iterations: count('Number of iterations that were begun'),
    progress: list('Iterations, in order', ITERATION),
    last_message: orNull(text('Beginning of the last answer of the worker'), 'there is none'),
    question: orNull(text('Question of the reasoner for the user'), 'there is no question'),
    changed_files: list(
      'Changes in the tree since the supervision began',
      record<SessionSave['changed_files'][number]>('One changed path', {
        path: text('Path relative to the root of the tree'),
        how: text('Kind of change: added, deleted, modified, mode, type, renamed or commit'),
        sha256: orNull(hash('SHA-256 of the content'), 'the path does not exist, or is not a regular file'),
      }),
    ),
    patch: orNull(
      text('Path of a file with the unified diff of the changes'),
      'the tree is not a git repository, or nothing has changed',
    ),
    git: orNull(
      record<NonNullable<SessionSave['git']>>('State of the git repository when the session was saved', {
        head: orNull(text('Id of the current commit'), 'there was none'),
        branch: orNull(text('Name of the current branch'), 'there was none'),
        status: orNull(hash('SHA-256 of the list of uncommitted files in git'), 'git did not report it'),
      }),
      'the tree is not a git repository',
    ),
    budget: record<SessionSave['budget']>('Paid calls, tokens and cost of the task so far', {
      used: count('Number of paid calls so far'),
      total: count('Maximum number of paid calls'),
      left: count('Number of paid calls that remain'),
      tokens: count('Number of tokens, as far as they are known'),
      usd: amount('Cost in US dollars, as far as prices are known'),
    }),
    resume: text('Command that resumes the supervision'),
    answer: orNull(text('Command that answers the question, with dots in place of the answer'), 'no question waits'),
  },
);
