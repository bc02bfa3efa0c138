// Defines the schemas of what `tollgate history` and `tollgate sessions` print with --json.

import type { HistoryObject } from '../../../bin/tollgate/sessions/history.ts';
import type { BackupsObject, SessionsObject } from '../../../bin/tollgate/sessions/sessions.ts';
import type { KnownSession } from '../../../loops/session/adopt.ts';
import type { Backup } from '../../../loops/session/backups.ts';
import type { Redoable } from '../../../loops/session/history.ts';
import type { ContextTokens, Item, ShownTurn } from '../../../policies/session/conversation.ts';
import { count, flag, is, list, one, orNull, record, type Schema, text, texts, time, tool, version } from './parts.ts';
import { entry } from './state.ts';

type Of<How extends Item['how']> = Extract<Item, { how: How }>;

const call = text('Id of the tool call in the CLI');
const item: Schema = {
  description: 'One event that followed the prompt of a turn',
  anyOf: [
    record<Of<'said'>>('A text of the model', {
      how: is('said', 'Kind of event: the model wrote this text'),
      text: text('Text of the model'),
    }),
    record<Of<'thought'>>('A thought of the model', {
      how: is('thought', 'Kind of event: the model thought this'),
      text: text('Text of the thought'),
    }),
    record<Of<'called'>>('A tool call of the model', {
      how: is('called', 'Kind of event: the model called a tool'),
      id: call,
      name: text('Name of the tool'),
      input: text('Arguments of the tool call, as JSON text'),
    }),
    record<Of<'responded'>>('The result of a tool call', {
      how: is('responded', 'Kind of event: a tool returned its result'),
      id: call,
      name: orNull(text('Name of the tool')),
      output: text('Output of the tool'),
      failed: flag('Whether the tool call failed'),
    }),
    record<Of<'noted'>>('A note of the CLI, such as an interruption or an error', {
      how: is('noted', 'Kind of event: the CLI recorded a note'),
      text: text('Text of the note'),
    }),
  ],
};

const turn = record<ShownTurn>('One turn: a prompt, and what followed it', {
  number: count('Number of the turn in the conversation, from 1; an undone turn keeps the number that it had'),
  // In the CLI's own format.
  at: orNull(text('Time when the prompt was sent (ISO 8601)'), 'the session file does not contain it'),
  prompt: text('Text of the prompt'),
  items: list('Events that followed the prompt, in order', item),
  tokens: orNull(
    record<ContextTokens>('Tokens of the last model request of the turn', {
      input: count('Number of input tokens, including those from a cache'),
      output: count('Number of output tokens'),
    }),
    'none were counted',
  ),
  state: one('Whether the turn is part of the conversation (active) or was undone (reverted)', ['active', 'reverted']),
  part: one(
    'whole: the complete turn; rest: only its undone events, whose prompt is in the previous entry with the same number',
    ['whole', 'rest'],
  ),
});

/** `tollgate history --json`. */
export const HISTORY: Schema = record<HistoryObject>(
  'Output of tollgate history --json: a conversation, with its undone turns',
  {
    schema: version,
    tool,
    session_id: text('Id of the session in the CLI'),
    file: text('Path of the session file of the CLI'),
    cli_version: orNull(text('Version of the CLI that began the session'), 'the session file does not contain it'),
    turns_active: count('Number of turns that are part of the conversation, shown or not'),
    turns_reverted: count('Number of turns that were undone, shown or not'),
    notes: texts('Remarks about parts of the conversation that could not be read, or that were cut off'),
    redo: list(
      'States of the conversation that tollgate undo SESSION --redo N restores, the newest first',
      record<Redoable>('One state of the conversation that an edit has undone', {
        n: count('Number for the flag --redo that restores this state'),
        at: time('Time when this state was undone'),
        turns: count('Number of turns in this state'),
        last_prompt: text('Prompt of the last turn in this state'),
        takes_back: count('Number of current turns that restoring this state would undo'),
        next: flag('Whether --redo without a number restores this state'),
      }),
    ),
    turns: list('The requested turns, in order', turn),
  },
);

const known = record<KnownSession>('One session that a tag continues with', {
  tag: text('Tag of the session: meta.feature, or the id of a task'),
  tool,
  entry,
  file: orNull(text('Path of the session file of the CLI'), 'the file no longer exists'),
  bytes: orNull(count('Size of the session file, in bytes'), 'the file no longer exists'),
  turns: orNull(count('Number of turns in the session'), 'the file does not exist or cannot be read'),
  health: text('Whether the service would accept the session as the CLI sends it, in words'),
});

/** `tollgate sessions list --json`, and `show`. */
export const SESSIONS: Schema = record<SessionsObject>(
  'Output of tollgate sessions list --json and show --json: the sessions that tags continue with',
  {
    schema: version,
    sessions: list('Sessions, the last used first', known),
  },
);

const backup = record<Backup>('One byte copy of the file of a session', {
  tool,
  session_id: text('Id of the session in the CLI'),
  n: count('Number of the edit before which the copy was made'),
  what: orNull(text('Kind of the edit before which the copy was made'), 'a crash came between the copy and the edit'),
  at: time('Time when the copy was made'),
  goes_at: time('Earliest time at which the copy is deleted because of its age'),
  bytes: count('Size of the copy, in bytes'),
  file: text('Path of the copy'),
});

/** `tollgate sessions backups --json`. */
export const BACKUPS: Schema = record<BackupsObject>(
  'Output of tollgate sessions backups --json: byte copies that undo and repair have made of conversations',
  {
    schema: version,
    kept_days: count('Maximum number of days for which a copy is kept'),
    backups: list('Copies, the newest first', backup),
  },
);
