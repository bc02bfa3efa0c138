// The world of a round with sessions whose agents are the real CLIs: the model behind them runs its tool unless it is told that it ran.

import { RealHome } from '../../../test/real/real-home.ts';
import { startModelApi } from '../../../test/rig/model-api.ts';
import { endSurvivors, findSurvivors } from '../../../test/rig/survivors.ts';
import type { SessionBehaviour, SessionPlan } from './plan.ts';
import type { SessionWorld } from './world.ts';

export async function realSessionWorld({ tool, behaviours }: SessionPlan): Promise<SessionWorld> {
  const left = [...behaviours];
  let home: RealHome | null = null;
  const api = await startModelApi({
    choose: (body) => {
      const how = left[0] ?? 'done';
      const token = tokensIn(body, 'TOKEN').at(-1) ?? 'none';
      if (!tokensIn(body, 'ran-TOKEN').includes(token)) {
        if (how !== 'refused_first') return `tool=${work(token)}`;
        left.shift();
        return 'mismatch';
      }
      left.shift();
      if (how === 'dies') killAgents(home!);
      return AFTER_TOOL[how] ?? `says=the answer of ${token}`;
    },
  });
  home = new RealHome(tool, api.url('ok'));
  const { project, env, marker } = home;
  return {
    project,
    env,
    calls: () => api.paid().length,
    async close(what) {
      await (what === 'removed' ? home.dispose() : endSurvivors(marker));
      await api.close();
    },
  };
}

/** What comes once the tool has run; else it is answered. */
const AFTER_TOOL: Partial<Record<SessionBehaviour, string>> = { refused: 'mismatch', busy: '503', dies: 'slow' };

/** Leaves its trace, and says what its own words do not hold, so that it is known whether its result is in a conversation. */
const work = (token: string): string => `echo ${token} >> trace; echo ${token} | sed s/^/ran-/`;

const tokensIn = (body: string, word: 'TOKEN' | 'ran-TOKEN'): string[] =>
  [...body.matchAll(new RegExp(`(?<!ran-)${word}-[a-z]+`, 'g'))].map(([found]) => found.replace(/^ran-/, ''));

/** All that was started but our own commands. */
function killAgents({ marker }: RealHome): void {
  for (const { pid, command } of findSurvivors(marker)) {
    if (/\/dist\/\w+\.cjs/.test(command)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went with its parent.
    }
  }
}
