// Defines the flags of tollgate undo and which can be combined, and formats what it did, or would do.

import path from 'node:path';
import { MAX_TIMEOUT_MS } from '../../../policies/facts/deadline.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { visible } from '../../../policies/text/display.ts';
import type { SessionFile, SessionStore } from '../../../wrappers/sessions/store.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { SESSION_WORD, TOOL_FLAG } from './which-session.ts';

export const UNDO: CommandSpec = {
  name: 'tollgate undo',
  usage: 'SESSION [--resend | --edit TEXT | --edit-file F | --redo [N] [--force]] [options]',
  about:
    "Removes the model's last answer from the conversation; its prompt stays. With --resend or --edit the prompt is removed as well, and it or another prompt is sent instead, which is one paid call. Nothing is lost: --redo brings it back.",
  flags: {
    resend: { takes: 'nothing', about: 'also remove the prompt, and send it again' },
    edit: { takes: 'text', about: 'send this prompt in its place' },
    'edit-file': { takes: 'text', about: "send this file's text in its place" },
    redo: {
      takes: 'number_if_any',
      min: 1,
      about:
        'restore what the last undo removed; repeat it for earlier ones; N: the undo with that number in tollgate history',
    },
    force: {
      takes: 'nothing',
      about: 'with --redo: restore although the conversation continued, and remove what came since',
    },
    'dry-run': { takes: 'nothing', about: 'show what would be done' },
    tool: TOOL_FLAG,
    task: { takes: 'text', about: 'charge the call to the budget of this task (a folder, or an id of this project)' },
    access: {
      takes: 'choice',
      choices: ['read', 'write', 'full'],
      default: 'read',
      about: 'what the agent may do in the call: read, change the working folder, or anything',
    },
    model: { takes: 'text', about: 'the model of the call' },
    'trust-workspace': { takes: 'nothing', about: 'let the CLI use the hooks and servers that this folder configures' },
    'timeout-ms': { takes: 'number', min: 1, max: MAX_TIMEOUT_MS, about: 'end the call after this time' },
    out: { takes: 'text', about: 'the file for the answer; default: stdout' },
    err: { takes: 'text', about: 'the file for the stderr of the CLI' },
    result: { takes: 'text', about: 'the file for the call record (JSON)' },
  },
  common: ['resend', 'edit', 'edit-file', 'redo', 'dry-run', 'tool', 'access', 'trust-workspace'],
  words: { min: 1, max: 1, called: SESSION_WORD },
  examples: [
    ['tollgate undo login', 'remove the last answer, keep its prompt'],
    ['tollgate undo login --redo', 'restore it'],
    ['tollgate undo login --redo 2', 'restore number 2 of tollgate history'],
    ['tollgate undo login --edit "Only the parser, please."', 'ask something else instead; paid'],
    ['tollgate undo login --resend --task fix-login', 'ask the same again, paid by a task'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'done'],
    [
      TOLLGATE_EXIT.failure,
      'not done: the session is in use, was changed meanwhile, or has nothing to take back; or the call failed',
    ],
    [TOLLGATE_EXIT.badInput, 'no such session, more than one, a file that cannot be read, or a mistake in the flags'],
    ['130, 143', 'stopped by INT, TERM'],
  ],
};

/** The modes that a flag selects; at most one flag may be given. */
const MODES = ['resend', 'edit', 'edit-file', 'redo'] as const;
const OF_A_CALL = ['task', 'access', 'model', 'trust-workspace', 'timeout-ms', 'out', 'err', 'result'] as const;

type UndoMode = (typeof MODES)[number] | 'undo';

export const modeOf = ({ given }: Arguments): UndoMode => MODES.find((mode) => given.has(mode)) ?? 'undo';

export function undoMistake({ given, text }: Arguments): string | null {
  const modes = MODES.filter((mode) => given.has(mode));
  if (modes.length > 1) return `--${modes[0]} and --${modes[1]} do not go together`;
  if (given.has('force') && modes[0] !== 'redo') return '--force goes with --redo alone';
  const isPaid = modes.length === 1 && modes[0] !== 'redo';
  const stray = isPaid ? undefined : OF_A_CALL.find((flag) => given.has(flag));
  if (stray !== undefined) return `--${stray} is about a call; it goes with --resend, --edit or --edit-file`;
  if (text.model?.startsWith('-') || /[\n\r\0]/.test(text.model ?? ''))
    return '--model must be one line that does not begin with a dash';
  return null;
}

export const filesOf = ({ text }: Arguments) => ({
  out: absolute(text.out),
  err: absolute(text.err),
  result: absolute(text.result),
});

const absolute = (file: string | undefined): string | null => (file === undefined ? null : path.resolve(file));

export interface UndoResult {
  did: 'undone' | 'redone' | 'resent' | 'replaced';
  session: SessionFile;
  /** The id of the session that it replaces. */
  inPlaceOf?: string;
  /** Turns, or answers, that are no longer active. */
  reverted: number;
  says: string;
  /** The number of the edit in its ledger; none for a dry run. */
  edit?: number;
  /** The result of the paid call. */
  sent?: { record: CallRecord; answer: string; exit: number; message: string | null };
}

const LONGEST = 300;

export function answerOf(result: UndoResult, { given, text }: Arguments): Ran {
  const { did, session, inPlaceOf, reverted, edit, sent } = result;
  const dry = given.has('dry-run');
  const { redact } = createRedactor({ env: process.env, patterns: [] });
  const says = cut(visible(redact(result.says)).replace(/\s+/g, ' '));
  const redoing = `tollgate undo ${session.id} --redo${sent === undefined || sent.record.ending === 'not_started' ? '' : ' --force'}`;
  const exit = sent?.exit ?? 0;
  if (given.has('json')) {
    const object = {
      schema: 1,
      did: dry ? null : did,
      would: dry ? did : null,
      tool: session.tool,
      session_id: session.id,
      ...(inPlaceOf === undefined ? {} : { in_place_of: inPlaceOf }),
      file: session.file,
      reverted,
      says,
      edit: edit ?? null,
      redo: redoing,
      ...(sent === undefined ? {} : { answer: sent.answer, message: sent.message, call: sent.record }),
    };
    return { exit, out: `${JSON.stringify(object)}\n` };
  }
  const hint = dry || did === 'redone' ? '' : `Bring it back: ${redoing}\n`;
  const line = `${session.tool} ${session.id}: ${dry ? 'nothing was changed; without --dry-run, ' : ''}${says}\n${hint}`;
  if (sent === undefined) return { exit, out: line };
  const failed = sent.message === null ? '' : `tollgate undo: the call failed: ${sent.message}\n`;
  return {
    exit,
    ...(text.out === undefined ? { out: sent.answer } : {}),
    err: `${given.has('quiet') ? '' : line}${failed}`,
  };
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

export interface Undoing {
  store: SessionStore;
  session: SessionFile;
  environment: NodeJS.ProcessEnv;
  feature: string | null;
  args: Arguments;
  stop: AbortSignal;
}
