// Loads the store of a CLI's session files on demand: most calls read none.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { SessionStore } from './store.ts';

export const storeOf = async (tool: BuiltIn): Promise<SessionStore> => (await import('./stores.ts')).STORES[tool];
