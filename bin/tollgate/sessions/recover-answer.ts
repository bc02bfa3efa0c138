// Formats the result of tollgate recover.

import type { SessionHealth } from '../../../loops/session/health.ts';
import type { Choice, RecoveredConversation } from '../../../loops/session/recovery.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import type { SessionFile } from '../../../wrappers/sessions/store.ts';
import type { Arguments } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';

interface About {
  choice: Choice;
  session: SessionFile;
  /** The health before the recovery. */
  health: SessionHealth;
}

export function answerTo(
  recovered: RecoveredConversation,
  { choice, session, health }: About,
  { given }: Arguments,
): Ran {
  const done = recovered.how === 'edited' || recovered.how === 'left' || recovered.how === 'exported';
  const exit = done ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure;
  const says = 'says' in recovered ? recovered.says : recovered.why;
  const redo = `tollgate undo ${session.id} --redo`;
  const isRevertible = recovered.how === 'edited' && recovered.what !== 'mended';
  if (given.has('json')) {
    const object = {
      schema: 1,
      tool: session.tool,
      session_id: session.id,
      session_file: session.file,
      choice,
      how: recovered.how,
      says,
      flaws: health.flaws,
      turns: health.turns,
      edit: recovered.how === 'edited' ? recovered.edit : null,
      reverted: recovered.how === 'edited' ? recovered.reverted : 0,
      file: recovered.how === 'exported' ? recovered.file : null,
      redo: isRevertible ? redo : null,
    };
    return { exit, out: `${JSON.stringify(object)}\n` };
  }
  if (recovered.how === 'refused') return refusal(says, exit);
  const line = `${session.tool} ${session.id}: ${visible(says)}`;
  return { exit, out: `${[line, ...(isRevertible ? [`Bring it back: ${redo}`] : [])].join('\n')}\n` };
}

export const refusal = (message: string, exit: number): Ran => ({ exit, err: `tollgate recover: ${message}\n` });
