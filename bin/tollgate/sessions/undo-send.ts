// Implements undo --resend and --edit: takes back the last prompt with its answer, and sends it or another one instead.

import { readFileSync } from 'node:fs';
import { chargedTask } from '../../../loops/call/check.ts';
import { type ResendRequest, type ResentCall, send, sendingMistake } from '../../../loops/call/resend.ts';
import { editSession } from '../../../loops/session/edit.ts';
import { replaceSession } from '../../../loops/session/replace-session.ts';
import { planRedo, planRollback, redo } from '../../../loops/session/undo.ts';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { HEADER } from '../../../policies/session/session-entry.ts';
import { isSystemError } from '../../../state/system-error.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { isTrustedFolder } from '../../../state/trusted-folders.ts';
import type { Access } from '../../../wrappers/adapter.ts';
import type { Conversation } from '../../../wrappers/sessions/store.ts';
import type { Arguments } from '../../command-line.ts';
import { startLiveLine } from '../../progress-line.ts';
import type { Ran } from '../../ran.ts';
import { answerOf, filesOf, type modeOf, type Undoing, type UndoResult } from './undo-flags.ts';

export async function sendInstead(undoing: Undoing, mode: ReturnType<typeof modeOf>): Promise<Ran> {
  const { store, session, environment, args } = undoing;
  const conversation = store.open(session);
  const plan = planRollback(conversation);
  if (plan.how === 'nothing') return refusal(plan.why, TOLLGATE_EXIT.failure);
  const { turns } = conversation;
  // The session would be empty, and its CLI cannot continue an empty one.
  const into = plan.edit.how === 'impossible' && turns === 1 ? 'new' : 'session';
  if (plan.edit.how === 'impossible' && into === 'session') return refusal(plan.edit.why, TOLLGATE_EXIT.failure);
  const [last] = conversation.read(turns, turns);
  const sending = sendingOf(undoing, mode, last!.prompt, into);
  if (typeof sending === 'string') return refusal(sending, TOLLGATE_EXIT.badInput);
  const where = into === 'new' ? ', in a new session that replaces this one' : '';
  const result: UndoResult = {
    did: mode === 'resend' ? 'resent' : 'replaced',
    session,
    reverted: 1,
    says: `turn ${turns} ("${last!.prompt}") is taken back, and ${mode === 'resend' ? 'its prompt is sent again' : 'another prompt is sent in its place'}${where}`,
  };
  if (args.given.has('dry-run')) return answerOf(result, args);
  if (into === 'new') return sendInNewSession(undoing, conversation, sending, result);
  const holder = holderOf(undoing, sending);
  const edited = await editSession({ ...plan, conversation, environment, clock, holder });
  if (edited.how === 'refused') return refusal(edited.why, TOLLGATE_EXIT.failure);
  const edit = edited.how === 'edited' ? edited.entry.n : null;
  const sent = await sendOrPutBack(undoing, sending, () => putBack(undoing, holder, edit));
  if ('exit' in sent) return sent;
  return answerOf(
    { ...result, ...(edit === null ? {} : { edit }), sent: { ...sent, exit: exitOf(undoing, sent) } },
    args,
  );
}

/** The old session is not changed, and it is not replaced until the new one has its answer. */
async function sendInNewSession(
  undoing: Undoing,
  conversation: Conversation,
  sending: ResendRequest,
  result: UndoResult,
): Promise<Ran> {
  const { store, environment, args } = undoing;
  const unchanged = async () => '(The conversation is what it was before.)';
  const sent = await sendOrPutBack(undoing, sending, unchanged);
  if ('exit' in sent) return sent;
  const exit = exitOf(undoing, sent);
  const { session_id: id } = sent.record;
  if (exit !== TOLLGATE_EXIT.ok || id === null)
    return refusal(
      `${sent.message ?? 'its CLI reported no session'} ${await unchanged()}`,
      exit || TOLLGATE_EXIT.failure,
    );
  const { session, tags, notes } = await replaceSession({
    store,
    conversation,
    id,
    environment,
    cwd: process.cwd(),
    clock,
    holder: holderOf(undoing, sending),
  });
  const says = [
    `${result.says}: ${id}${tags.length === 0 ? '' : `, in which ${tags.join(', ')} ${tags.length === 1 ? 'continues' : 'continue'}`}`,
    ...notes,
  ].join('; ');
  const replacement = session ?? { ...result.session, id };
  return answerOf(
    { ...result, session: replacement, inPlaceOf: result.session.id, says, sent: { ...sent, exit } },
    args,
  );
}

function exitOf({ stop }: Undoing, { record, message }: ResentCall): number {
  if (stop.aborted) return stopExit(stop);
  return record.verdict.class !== null || message !== null ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok;
}

/** @returns the call, or what is wrong with the flags. */
function sendingOf(
  { session, environment, args }: Undoing,
  mode: ReturnType<typeof modeOf>,
  last: string,
  into: ResendRequest['into'],
): ResendRequest | string {
  const task = taskOf(args);
  if (typeof task === 'string') return task;
  const prompt = mode === 'resend' ? last : promptIn(args);
  if (typeof prompt !== 'string') return prompt.mistake;
  if (prompt.trim() === '') return 'the prompt is empty; nothing was changed and nothing sent';
  const files = filesOf(args);
  const cwd = process.cwd();
  const mistake = sendingMistake({ files, task, environment, cwd });
  if (mistake !== null) return mistake;
  // A session is found again by its first line.
  const header = into === 'new' && !HEADER.test(prompt) ? (HEADER.exec(last)?.[0].trim() ?? null) : null;
  return {
    session,
    into,
    prompt: header === null ? prompt : `${header}\n\n${prompt}`,
    task,
    files,
    access: args.text.access as Access,
    trustWorkspace: args.given.has('trust-workspace') || isTrustedFolder(cwd, environment),
    model: args.text.model ?? null,
    timeoutMs: args.number['timeout-ms'] ?? null,
    environment,
    cwd,
  };
}

function taskOf({ text }: Arguments): TaskFolder | null | string {
  if (text.task === undefined) return null;
  const folder = chargedTask(text.task, 'existing', process.cwd(), process.env);
  return typeof folder === 'string' ? `--task: ${folder}` : folder;
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

/** If the call did not even start, the prompt and its answer are restored. */
async function sendOrPutBack(
  { session, args, stop }: Undoing,
  sending: ResendRequest,
  putBack: () => Promise<string>,
): Promise<ResentCall | Ran> {
  let why: string;
  const progress = args.given.has('quiet') ? null : startLiveLine('tollgate undo', session.tool);
  try {
    const sent = await send(sending, stop, clock);
    if (sent.record.ending !== 'not_started') return sent;
    why = sent.message ?? 'it was not started';
  } catch (error) {
    if (!isSystemError(error)) throw error;
    why = error.message;
  } finally {
    progress?.stop();
  }
  const back = await putBack();
  const exit = stop.aborted ? stopExit(stop) : TOLLGATE_EXIT.failure;
  return refusal(`nothing was sent: ${why} ${back}`, exit);
}

async function putBack({ store, session, environment }: Undoing, holder: object, edit: number | null): Promise<string> {
  const now = await store.find(session.id, { environment, cwd: process.cwd() });
  const plan = now === null ? null : planRedo(store, now, environment, edit);
  if (plan?.how === 'planned' && plan.taken.newTurns === 0) {
    const edited = redo(plan, { environment, clock, holder });
    if (edited.how === 'edited') return '(The conversation is what it was before.)';
  }
  return `(The prompt is still taken back: tollgate undo ${session.id} --redo brings it back.)`;
}

const holderOf = ({ feature }: Undoing, { task }: ResendRequest) => ({
  ...(task === null ? {} : { task: task.id }),
  ...(feature === null ? {} : { feature }),
});

const clock = () => new Date();

const refusal = (message: string, exit: number): Ran => ({ exit, err: `tollgate undo: ${message}\n` });
