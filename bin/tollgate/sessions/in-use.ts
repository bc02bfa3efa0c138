// Formats the message about a session that is in use.

import type { SessionFile } from '../../../wrappers/sessions/store.ts';

export const inUse = ({ tool, id }: SessionFile, by: string): string =>
  `the ${tool} session ${id} is in use: ${by}; try again when that has ended (nothing was changed)`;
