// Implements tollgate history: shows a conversation, with what was taken back of it.

import { redactorOf } from '../../../loops/redactor.ts';
import { type History, type Redoable, readHistory } from '../../../loops/session/history.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { Tool } from '../../../policies/facts/tools.ts';
import { type Redactor, redactValue } from '../../../policies/redact/redactor.ts';
import type { ShownTurn } from '../../../policies/session/conversation.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { renderHistory } from './history-page.ts';
import { SESSION_WORD, styleOf, TOOL_FLAG, unreadable, whichSession } from './which-session.ts';

const SPEC: CommandSpec = {
  name: 'tollgate history',
  usage: 'SESSION [--last N | --all] [--full] [--tool T]',
  about:
    "Shows a conversation from its CLI's own session file. Turns that were taken back are struck through, at their place, and numbered for tollgate undo --redo N; secrets are hidden.",
  flags: {
    last: { takes: 'number', min: 1, default: 20, about: 'so many turns, counted from the end' },
    all: { takes: 'nothing', about: 'all turns' },
    full: { takes: 'nothing', about: 'prompts in full, which otherwise show their first lines' },
    tool: TOOL_FLAG,
  },
  words: { min: 1, max: 1, called: SESSION_WORD },
  examples: [
    ['tollgate history login', 'the last 20 turns of the session with the tag login'],
    ['tollgate history 01a1ffb7 --all --json', 'all of it, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown'],
    [TOLLGATE_EXIT.badInput, 'no such session, more than one, or a file that cannot be read'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  if (args.given.has('all') && args.given.has('last')) return invalid('--all and --last do not go together');
  const which = await whichSession(args);
  if (which.how === 'invalid') return invalid(which.message);
  let history: History;
  try {
    history = readHistory(which.store, which.session, process.env, args.given.has('all') ? null : args.number.last!);
  } catch (error) {
    return invalid(unreadable(error));
  }
  const redactor = redactorOf(process.env, []);
  if (args.given.has('json')) return { exit: 0, out: `${JSON.stringify(objectOf(history, redactor))}\n` };
  const prompts = args.given.has('full') ? 'full' : 'begun';
  return { exit: 0, out: renderHistory(history, { ...styleOf(), prompts, redactor }) };
}

/** What `--json` prints. */
export interface HistoryObject {
  schema: 1;
  tool: Tool;
  session_id: string;
  file: string;
  cli_version: string | null;
  turns_active: number;
  turns_reverted: number;
  notes: readonly string[];
  /** What `tollgate undo SESSION --redo N` brings back, the newest first. */
  redo: readonly Redoable[];
  turns: readonly ShownTurn[];
}

function objectOf({ session, turns, all, reverted, notes, redo }: History, { redact }: Redactor): HistoryObject {
  return {
    schema: 1,
    tool: session.tool,
    session_id: session.id,
    file: session.file,
    cli_version: session.cliVersion,
    turns_active: all - reverted,
    turns_reverted: reverted,
    notes,
    redo: redactValue(redo, redact) as typeof redo,
    turns: redactValue(turns, redact) as typeof turns,
  };
}

const invalid = badInputOf('tollgate history');
