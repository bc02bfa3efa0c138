// Whether the tree is still as a saved session left it: whoever goes on in another one would have the agents work on what they do not know.

import { movedSince } from '../../policies/supervise/session-save.ts';
import { standingAfter } from '../../policies/supervise/standing.ts';
import type { OpenTask } from '../task/task.ts';
import { gitStand } from './changes.ts';
import { contentHash, readSave, standOf } from './save.ts';

/** What is wrong, with the way out; null where nothing is, or nothing was saved. */
export async function treeMistake(
  open: OpenTask,
  { environment, clock }: { environment: NodeJS.ProcessEnv; clock: () => Date },
): Promise<string | null> {
  const { left } = standingAfter(open.journal.read().ledger.supervised);
  if (left === null || left.how === 'done') return null;
  const read = await readSave(open.task, clock);
  if (read === null) return null;
  if (read.how === 'invalid') return read.message;
  const { save } = read;
  const now = {
    changed_files: save.changed_files.map((file) => ({ ...file, sha256: contentHash(open.tree, file.path) })),
    git: await standOf(open, environment),
    branches: (await gitStand(open, environment))?.branches ?? null,
  };
  const moved = movedSince(save, now);
  if (moved.length === 0) return null;
  return `the tree has moved on since the session was saved at ${save.saved_at}: ${moved.join('; ')}. Put it back as it was (${save.patch ?? 'session_save.json says how'}), or say --accept-tree to go on in it as it is`;
}
