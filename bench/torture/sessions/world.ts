// The world of a round with sessions: fake agents that keep conversations as their CLIs do, or the real CLIs before a model that runs its tool unless the request says that it ran.

import path from 'node:path';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { RealHome } from '../../../test/real/real-home.ts';
import { startModelApi } from '../../../test/rig/model-api.ts';
import { endSurvivors, findSurvivors } from '../../../test/rig/survivors.ts';
import { kill } from '../command.ts';
import { agentOf, makePlace, type Place } from '../rig.ts';
import type { SessionBehaviour, SessionPlan } from './plan.ts';

export interface SessionWorld extends Pick<Place, 'project' | 'env' | 'close'> {
  /** So far; of the real ones, how often they called the model. */
  calls(): number;
}

export async function fakeSessionWorld({ n, behaviours }: SessionPlan): Promise<SessionWorld> {
  const agent = agentOf(path.join(import.meta.dirname, 'agent.ts'));
  const place = makePlace(`torture-sessions-${n}`, Object.fromEntries(TOOLS.map((tool) => [tool, agent])));
  const env = { ...place.env, TORTURE_SCRIPT: behaviours.join(' ') };
  return { ...place, env, calls: () => place.seen().length };
}

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

/** The reply after the tool has run; otherwise the model answers. */
const AFTER_TOOL: Partial<Record<SessionBehaviour, string>> = { refused: 'mismatch', busy: '503', dies: 'slow' };

/** Leaves its trace, and prints what its own words do not hold: so a conversation shows whether it has the result. */
const work = (token: string): string => `echo ${token} >> trace; echo ${token} | sed s/^/ran-/`;

const tokensIn = (body: string, word: 'TOKEN' | 'ran-TOKEN'): string[] =>
  [...body.matchAll(new RegExp(`(?<!ran-)${word}-[a-z]+`, 'g'))].map(([found]) => found.replace(/^ran-/, ''));

/** All processes except our own commands. */
function killAgents({ marker }: RealHome): void {
  for (const { pid, command } of findSurvivors(marker)) {
    if (!/\/dist\/\w+\.cjs/.test(command)) kill(pid);
  }
}
