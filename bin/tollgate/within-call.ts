// Whether we were started by an agent from within a call of ours: what guards its money is then not its to change.

import { MARKERS } from '../../wrappers/processes/marker.ts';

/** Why `act` is refused here, or null. @param act such as `change a budget`. */
export function refusalWithin(environment: NodeJS.ProcessEnv, act: string): string | null {
  const call = MARKERS.map((name) => environment[name]).find((marker) => marker !== undefined && marker !== '');
  if (call === undefined) return null;
  return `a call may not ${act}, and this was started from within the call ${call}; ask whoever started it`;
}
