// Defines the schemas of `tollgate supervise`: the answer of a reasoner, and a saved session.

import { REASONER_SCHEMA } from '../../../policies/supervise/reasoner-answer.ts';
import type { SessionSave } from '../../../policies/supervise/session-save.ts';
import { amount, count, hash, list, one, orNull, record, type Schema, text, time, tool, version } from './parts.ts';
import { ITERATION } from './run.ts';

const { title: description, ...shape } = REASONER_SCHEMA;

export const REASONER: Schema = { description, ...shape };

type Session = SessionSave['sessions']['worker'];

const session = (whose: string) =>
  record<Session>(whose, { tool, session_id: orNull(text('Its id'), 'none is known') });

export const SESSION_SAVE: Schema = record<SessionSave>('What state/session_save.json holds', {
  schema: version,
  task_id: text('The task'),
  saved_at: time('When'),
  how: one('How the loop ended', ['done', 'saved', 'parked', 'stopped', 'interrupted']),
  why: text('Why'),
  sessions: record<SessionSave['sessions']>('The conversations', {
    worker: session("The worker's"),
    reasoner: session("The reasoner's"),
  }),
  task: text('The original task'),
  instruction: text('In force, whole'),
  instruction_sha256: hash('Of it'),
  iterations: count('That were begun'),
  progress: list('They, in order', ITERATION),
  last_message: orNull(text('What the worker said last, its beginning'), 'it has said nothing'),
  question: orNull(text("The reasoner's, for a person"), 'it asks nothing'),
  changed_files: list(
    'What has changed in the tree since the supervision began',
    record<SessionSave['changed_files'][number]>('One path', {
      path: text("From the tree's root"),
      how: text('added, deleted, modified, mode, type, renamed or commit'),
      sha256: orNull(hash('Of its content'), 'it is gone, or no file'),
    }),
  ),
  patch: orNull(text('A unified diff of them'), 'the tree is not a git repository, or nothing has changed'),
  git: orNull(
    record<NonNullable<SessionSave['git']>>('Where the repository was', {
      head: orNull(text('The commit'), 'there was none'),
      branch: orNull(text('The branch'), 'it was on none'),
      status: orNull(hash("Of git's list of what is not committed"), 'git did not tell'),
    }),
    'the tree is not a git repository',
  ),
  budget: record<SessionSave['budget']>('What the task had paid', {
    used: count('Paid calls'),
    total: count('Allowed in all'),
    left: count('Remaining'),
    tokens: count('Tokens, as far as they are known'),
    usd: amount('US dollars, as far as prices are known'),
  }),
  resume: text('The line to type to continue'),
  answer: orNull(text('The line to answer with'), 'no question waits'),
});
