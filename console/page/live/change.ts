// Changes something through the server, which calls the function of the command, with the same refusals.

import type { Actions, Changed } from '../../contract/actions.ts';
import { tellDone } from '../shell/notes.tsx';
import { type Trouble, write } from './ask.ts';

/** @returns null if the change was made, which the page announces; otherwise the problem. */
export async function change<P extends keyof Actions>(path: P, wish: Actions[P]): Promise<Trouble | null> {
  const answered = await write<Changed>(path, wish);
  if (answered.how === 'failed') return answered.problem;
  tellDone(answered.value.says);
  return null;
}
