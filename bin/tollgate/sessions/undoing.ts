// Defines what an undo works on.

import type { SessionFile, SessionStore } from '../../../wrappers/sessions/store.ts';
import type { Arguments } from '../../command-line.ts';

export interface Undoing {
  store: SessionStore;
  session: SessionFile;
  feature: string | null;
  args: Arguments;
  stop: AbortSignal;
}
