// Defines the tools for conversations of the CLIs: list them, read one, take an answer back, and repair a broken one.

import { CHOICES } from '../../../loops/session/recovery.ts';
import { TOOLS as CLIS } from '../../../policies/facts/tools.ts';
import { run as history } from '../sessions/history.ts';
import { run as recover } from '../sessions/recover.ts';
import { run as sessions } from '../sessions/sessions.ts';
import { run as undo } from '../sessions/undo.ts';
import { COUNT, type FieldSchema, giving, LIST, type McpTool, SESSION, taking, WORD } from './tool.ts';
import { verbTool } from './verb.ts';

/** All choices in one sentence. */
const CHOICES_TOLD = Object.entries(CHOICES)
  .map(([choice, does]) => `${choice}: ${does}`)
  .join('; ');

const CLI: FieldSchema = {
  type: 'string',
  enum: CLIS,
  description: 'of this CLI; only where the session alone does not say',
};

const ofCli = ({ cli }: Record<string, unknown>): string[] => (cli === undefined ? [] : [`--tool=${cli}`]);

export const CONVERSATIONS: readonly McpTool[] = [
  verbTool({
    name: 'sessions',
    title: 'Sessions by tag',
    about: 'Lists the session that each tag continues: size, tokens, age, errors, health.',
    takes: taking({}),
    gives: giving({ sessions: LIST }),
    changes: 'nothing',
    run: sessions,
    argv: () => ['list'],
  }),
  verbTool({
    name: 'history',
    title: 'What was said',
    about: "A conversation from its CLI's own file, the last turns of it, with what was taken back.",
    takes: taking(
      {
        session: SESSION,
        last: { type: 'integer', minimum: 1, maximum: 50, description: 'the number of turns from the end; default: 5' },
        cli: CLI,
      },
      'session',
    ),
    gives: giving({ tool: WORD, session_id: WORD, turns_active: COUNT, turns: LIST }),
    changes: 'nothing',
    run: history,
    argv: (given) => [String(given.session), `--last=${given.last ?? 5}`, ...ofCli(given)],
  }),
  verbTool({
    name: 'undo',
    title: 'Take an answer back',
    about:
      "Takes back a conversation's last answer and keeps its prompt, or brings it back (`redo`). Pays for nothing, and keeps a copy.",
    takes: taking(
      {
        session: SESSION,
        redo: { type: 'boolean', description: 'bring back what was taken back last' },
        dry_run: { type: 'boolean', description: 'only show what would be done' },
        cli: CLI,
      },
      'session',
    ),
    gives: giving({ schema: COUNT }),
    changes: 'something',
    run: undo,
    argv: (given) => [
      String(given.session),
      ...(given.redo === true ? ['--redo'] : []),
      ...(given.dry_run === true ? ['--dry-run'] : []),
      ...ofCli(given),
    ],
  }),
  verbTool({
    name: 'recover',
    title: 'Repair a conversation',
    about:
      'Repairs a conversation that its service refuses. Pays for nothing; undo with `redo` restores what was removed.',
    takes: taking(
      {
        session: { ...SESSION, description: 'a session, or the task whose last call failed in it' },
        choose: { type: 'string', enum: Object.keys(CHOICES), description: CHOICES_TOLD },
        cli: CLI,
      },
      'session',
      'choose',
    ),
    gives: giving({ schema: COUNT }),
    changes: 'something',
    run: recover,
    argv: (given) => [String(given.session), `--choose=${given.choose}`, ...ofCli(given)],
  }),
];
