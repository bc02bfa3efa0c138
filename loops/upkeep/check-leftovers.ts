// Checks by the register whether there is something to sweep. Preflight reports it, and changes nothing.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';
import { readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';

/** @param depth `quick` starts no process. If only `ps` shows which processes live, the result is unknown then. */
export async function checkLeftovers(environment: NodeJS.ProcessEnv, depth: 'full' | 'quick'): Promise<CheckAnswer> {
  const folder = registerFolder(environment);
  if (folder === null || (depth === 'quick' && process.platform !== 'linux')) return null;
  try {
    return await look(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return say('warn', `the register of calls cannot be read: ${error.message}`, `look at ${folder}`);
  }
}

async function look(folder: string): Promise<CheckAnswer> {
  const self = (await identify(process.pid))!;
  let [dead, invalid] = [0, 0];
  for (const found of readEntries(folder)) {
    if (found.how === 'invalid') invalid += 1;
    else if ((await isAlive(found.entry.guardian, self)) === 'dead') dead += 1;
  }
  if (dead + invalid === 0) return null;
  const counts = [
    ...(dead === 0 ? [] : [`${dead} ${dead === 1 ? 'call' : 'calls'} whose wrapper was killed`]),
    ...(invalid === 0 ? [] : [`${invalid} in the register that cannot be gone by`]),
  ];
  return say(
    'warn',
    `${counts.join(', and ')}; an answer may wait there, a process may still run`,
    'preflight --sweep',
  );
}
