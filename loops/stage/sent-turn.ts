// Compares the end of a session with the prompt that was sent into it, and takes a prompt without an answer back.

import { readRegular } from '../../state/disk/regular-file.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Conversation } from '../../wrappers/sessions/store.ts';
import { MAX_PROMPT_BYTES } from '../attempt/request.ts';
import { editSession } from '../session/edit.ts';
import { findSession, quietly } from '../session/own-files.ts';
import { planRollback } from '../session/undo.ts';
import type { SentText } from '../task/attempt-request.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageRun } from '../task/stage-run.ts';

/** How a session ends, compared with a prompt that was sent into it. */
type EndOf = 'unknown' | 'elsewhere' | 'unanswered' | 'half_way';

/** A prompt for a session that already has its beginning. */
export const alone = ({ file }: Prompt): SentText => ({ before: '', file });

/** Changes nothing. */
export const endOfSession = async (run: StageRun, id: string, sent: SentText): Promise<EndOf> =>
  (await look(run, id, sent)).end;

/** Removes the prompt from the session if it is unanswered at its end. */
export async function takeBackUnanswered(run: StageRun, id: string, sent: SentText): Promise<EndOf> {
  const { open, context } = run;
  const { environment, clock } = context;
  const { end, conversation } = await look(run, id, sent);
  if (end !== 'unanswered' || conversation === null) return end;
  // A session without any prompt cannot be resumed.
  if (conversation.turns === 1) return end;
  const holder = { task: open.task.id };
  await quietly(() => {
    const plan = planRollback(conversation);
    return plan.how === 'nothing' ? null : editSession({ ...plan, conversation, environment, clock, holder });
  });
  return end;
}

async function look({ open, stage, context: { environment } }: StageRun, id: string, sent: SentText): Promise<Looked> {
  const session = await findSession(stage.tool, id, { environment, cwd: open.cwd });
  if (session === null) return UNKNOWN;
  const store = await adapterOf(stage.tool).sessions();
  const conversation = await quietly(() => store.open(session));
  if (conversation === null) return UNKNOWN;
  const end = (await quietly(() => endOf(conversation, sentTexts(stage.tool, sent)))) ?? 'unknown';
  return { end, conversation };
}

interface Looked {
  end: EndOf;
  conversation: Conversation | null;
}

const UNKNOWN: Looked = { end: 'unknown', conversation: null };

function endOf(conversation: Conversation, sent: readonly string[]): EndOf {
  const { turns } = conversation;
  const [last] = turns === 0 ? [] : conversation.read(turns, turns);
  if (last === undefined || !sent.includes(last.prompt.trim())) return 'elsewhere';
  return last.items.some(({ how }) => how !== 'noted' && how !== 'thought') ? 'half_way' : 'unanswered';
}

/** The text as it was written, and as it was sent. */
function sentTexts(tool: StageRun['stage']['tool'], { before, file }: SentText): string[] {
  const text = `${before}${readRegular(file, MAX_PROMPT_BYTES)}`;
  const sent = adapterOf(tool).prompt.escape(Buffer.from(text).toString('latin1'));
  return [text.trim(), Buffer.from(sent, 'latin1').toString('utf8').trim()];
}
