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

const call = text("The CLI's own id of the call");
const item: Schema = {
  description: 'What followed the prompt',
  anyOf: [
    record<Of<'said'>>('What the model said', { how: is('said', 'It said this'), text: text('Its words') }),
    record<Of<'thought'>>('What it thought', { how: is('thought', 'It thought this'), text: text('Its words') }),
    record<Of<'called'>>('A tool that it called', {
      how: is('called', 'It called a tool'),
      id: call,
      name: text('Of the tool'),
      input: text('The arguments as JSON text'),
    }),
    record<Of<'responded'>>('What a tool gave back', {
      how: is('responded', 'A tool gave this back'),
      id: call,
      name: orNull(text('Of the tool')),
      output: text('What it gave back'),
      failed: flag('It failed'),
    }),
    record<Of<'noted'>>('What the CLI noted', { how: is('noted', 'Its CLI noted this'), text: text('Its words') }),
  ],
};

const turn = record<ShownTurn>('One turn', {
  number: count('From 1, in the order of the conversation; of one that was taken back, the number that it had'),
  // In the CLI's own format.
  at: orNull(text('When its prompt was sent (ISO time)'), 'the file does not say'),
  prompt: text('The prompt'),
  items: list('What followed it, in order', item),
  tokens: orNull(
    record<ContextTokens>('Of its last model request', {
      input: count('Of its prompt, what came from a cache included'),
      output: count('Of its answer'),
    }),
    'none was counted',
  ),
  state: one('Does it stand, or was it taken back?', ['active', 'reverted']),
  part: one('The whole turn; or its rest, if its prompt is the previous entry with the same number', ['whole', 'rest']),
});

/** `tollgate history --json`. */
export const HISTORY: Schema = record<HistoryObject>('A conversation, with what was taken back of it', {
  schema: version,
  tool,
  session_id: text("The CLI's own id of it"),
  file: text('Its file'),
  cli_version: orNull(text('Of the CLI that began it'), 'the file does not say'),
  turns_active: count('How many turns stand, shown or not'),
  turns_reverted: count('How many do not'),
  notes: texts('What could not be read, or was cut off'),
  redo: list(
    'What tollgate undo SESSION --redo N brings back, the newest first',
    record<Redoable>('One state of the conversation that an edit took back', {
      n: count('The number to give'),
      at: time('When it was taken back'),
      turns: count('The number of turns'),
      last_prompt: text('Of the last of them'),
      takes_back: count('How many turns that stand now would be taken back for it'),
      next: flag('It is what --redo without a number brings back'),
    }),
  ),
  turns: list('The requested turns, in order', turn),
});

const known = record<KnownSession>('One session of a tag', {
  tag: text('meta.feature, or the id of a task'),
  tool,
  entry,
  file: orNull(text("Its CLI's file"), 'it is gone'),
  bytes: orNull(count('Of the file'), 'it is gone'),
  turns: orNull(count('How many stand'), 'it cannot be read'),
  health: text('Would the service take what the CLI sends? In words'),
});

/** `tollgate sessions list --json`, and `show`. */
export const SESSIONS: Schema = record<SessionsObject>('The sessions that tags continue with', {
  schema: version,
  sessions: list('The last used first', known),
});

const backup = record<Backup>('One byte copy of a conversation', {
  tool,
  session_id: text("The CLI's own id of the session"),
  n: count('The number of the edit before which it was made'),
  what: orNull(text('What that edit was'), 'a crash came between the copy and its edit'),
  at: time('When it was made'),
  goes_at: time('From when on it is deleted for its age'),
  bytes: count('How large it is'),
  file: text('Its path'),
});

/** `tollgate sessions backups --json`. */
export const BACKUPS: Schema = record<BackupsObject>(
  'The byte copies that undo and repair have made of conversations',
  {
    schema: version,
    kept_days: count('For how long each is kept at most'),
    backups: list('The newest first', backup),
  },
);
