// undo --resend and --edit: the last prompt goes with its answer, and it or another one is sent in its place.

import { readFileSync } from 'node:fs';
import { editSession } from '../../loops/conversation/edit.ts';
import { planRollback } from '../../loops/conversation/plans.ts';
import { planRedo, redo } from '../../loops/conversation/redo.ts';
import { type Sending, type Sent, send, sendingMistake } from '../../loops/conversation/send.ts';
import { EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { Ran } from '../command.ts';
import type { Arguments } from '../command-line.ts';
import { lateProgress } from '../late-progress.ts';
import type { Undoing } from './undo.ts';
import { answerOf, type Told } from './undo-answer.ts';
import { filesOf, type UndoMode } from './undo-flags.ts';

export async function sendInstead(undoing: Undoing, mode: UndoMode): Promise<Ran> {
  const { store, session, args, stop } = undoing;
  const conversation = store.open(session);
  const plan = planRollback(conversation);
  if (plan.how === 'nothing') return refusal(plan.why, TOLLGATE_EXIT.failure);
  if (plan.edit.how === 'impossible') return refusal(plan.edit.why, TOLLGATE_EXIT.failure);
  const { turns } = conversation;
  const [last] = conversation.read(turns, turns);
  const sending = sendingOf(undoing, mode, last!.prompt);
  if (typeof sending === 'string') return refusal(sending, TOLLGATE_EXIT.badInput);
  const told: Told = {
    did: mode === 'resend' ? 'resent' : 'replaced',
    session,
    reverted: 1,
    says: `turn ${turns} ("${last!.prompt}") is taken back, and ${mode === 'resend' ? 'its prompt is sent anew' : 'another prompt is sent in its place'}`,
  };
  if (args.given.has('dry-run')) return answerOf(told, args);
  const holder = holderOf(undoing, sending);
  const edited = await editSession({ ...plan, conversation, environment: process.env, clock, holder });
  if (edited.how === 'refused') return refusal(edited.why, TOLLGATE_EXIT.failure);
  const progress = args.given.has('quiet') ? null : lateProgress(`tollgate undo: ${session.tool} works`);
  const sent = await sendOrPutBack(undoing, sending, holder).finally(() => progress?.stop());
  if ('exit' in sent) return sent;
  const by = stop.by();
  const failed = sent.record.verdict.class !== null || sent.message !== null;
  const exit = by !== null ? EXIT_BY_SIGNAL[by] : failed ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok;
  const edit = edited.how === 'edited' ? { edit: edited.entry.n } : {};
  return answerOf({ ...told, ...edit, sent: { ...sent, exit } }, args);
}

/** The call, or what is wrong with the flags. */
function sendingOf({ session, args }: Undoing, mode: UndoMode, last: string): Sending | string {
  const task = taskOf(args);
  if (typeof task === 'string') return task;
  const prompt = mode === 'resend' ? last : promptIn(args);
  if (typeof prompt !== 'string') return prompt.mistake;
  if (prompt.trim() === '') return 'the prompt is empty; nothing was changed and nothing sent';
  const files = filesOf(args);
  const mistake = sendingMistake({ files });
  if (mistake !== null) return mistake;
  return {
    session,
    prompt,
    task,
    files,
    access: args.text.access as Access,
    trustWorkspace: args.given.has('trust-workspace'),
    model: args.text.model ?? null,
    timeoutMs: args.number['timeout-ms'] ?? null,
    environment: process.env,
    cwd: process.cwd(),
  };
}

function taskOf({ text }: Arguments): TaskFolder | null | string {
  if (text.task === undefined) return null;
  const located = locateTask(text.task, process.cwd(), process.env);
  return located.how === 'mistaken' ? `--task: ${located.message}` : located.folder;
}

function promptIn({ text }: Arguments): string | { mistake: string } {
  if (text.edit !== undefined) return text.edit;
  try {
    return readFileSync(text['edit-file']!, 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { mistake: `--edit-file ${text['edit-file']} cannot be read (${error.message}); nothing was changed` };
  }
}

/** What was not even started changes nothing: the prompt and its answer are there again. */
async function sendOrPutBack(undoing: Undoing, sending: Sending, holder: object): Promise<Sent | Ran> {
  const { stop } = undoing;
  let why: string;
  let sent: Sent | null = null;
  try {
    sent = await send(sending, stop, clock);
    if (sent.record.ending !== 'not_started') return sent;
    why = sent.message ?? 'it was not started';
  } catch (error) {
    if (!isSystemError(error)) throw error;
    why = error.message;
  }
  const back = await putBack(undoing, holder);
  const by = stop.by();
  const exit = by === null ? TOLLGATE_EXIT.failure : EXIT_BY_SIGNAL[by];
  return refusal(`nothing was sent: ${why} ${back}`, exit);
}

async function putBack({ store, session }: Undoing, holder: object): Promise<string> {
  const now = await store.find(session.id, { environment: process.env, cwd: process.cwd() });
  const plan = now === null ? null : planRedo(store, now, process.env);
  if (plan?.how === 'planned' && plan.newTurns === 0) {
    const edited = redo(plan, { environment: process.env, clock, holder });
    if (edited.how === 'edited') return '(The conversation is what it was before.)';
  }
  return `(The prompt is still taken back: tollgate undo ${session.id} --redo brings it back.)`;
}

const holderOf = ({ feature }: Undoing, { task }: Sending) => ({
  ...(task === null ? {} : { task: task.id }),
  ...(feature === null ? {} : { feature }),
});

const clock = () => new Date();

const refusal = (message: string, exit: number): Ran => ({ exit, err: `tollgate undo: ${message}\n` });
