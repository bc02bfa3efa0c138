// Creates the world of a round with sessions: fake agents with conversations, or the real CLIs before a model that runs a tool.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { RealHome } from '../../../test/real/real-home.ts';
import { startModelApi } from '../../../test/rig/model-api.ts';
import { endSurvivors, findSurvivors } from '../../../test/rig/survivors.ts';
import { agentOf, kill, makePlace } from '../rig.ts';
import type { SessionBehaviour, SessionPlan } from './plan.ts';

export interface SessionWorld {
  project: string;
  env: Record<string, string>;
  /** The calls so far; for the real CLIs, their requests to the model. */
  calls(): number;
  /** @param what happens to the folders. */
  close(what: 'removed' | 'kept'): Promise<void>;
}

export async function fakeSessionWorld({ n, behaviours }: SessionPlan): Promise<SessionWorld> {
  const agent = agentOf(path.join(import.meta.dirname, 'agent.ts'));
  const { root, at, env, marker } = makePlace(
    `torture-sessions-${n}`,
    Object.fromEntries(TOOLS.map((tool) => [tool, agent])),
  );
  writeFileSync(at('seen'), '');
  return {
    project: at('project'),
    env: { ...env, TORTURE_SEEN: at('seen'), TORTURE_SCRIPT: behaviours.join(' ') },
    calls: () => readFileSync(at('seen'), 'utf8').split('\n').length - 1,
    async close(what) {
      await endSurvivors(marker);
      if (what === 'removed') rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
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

/** Writes its trace, and prints a text that the command does not contain. This shows whether its result is in a conversation. */
const work = (token: string): string => `echo ${token} >> trace; echo ${token} | sed s/^/ran-/`;

const tokensIn = (body: string, word: 'TOKEN' | 'ran-TOKEN'): string[] =>
  [...body.matchAll(new RegExp(`(?<!ran-)${word}-[a-z]+`, 'g'))].map(([found]) => found.replace(/^ran-/, ''));

/** Kills all that was started, except tollgate's own commands. */
function killAgents({ marker }: RealHome): void {
  for (const { pid, command } of findSurvivors(marker)) {
    if (!/\/dist\/\w+\.cjs/.test(command)) kill(pid);
  }
}
