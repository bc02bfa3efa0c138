// Creates the world of a round with the real CLIs: each call has its own address at the model API, which identifies the caller.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { CLIS, RealHome } from '../../test/real/real-home.ts';
import { ANSWER } from '../../test/rig/model-api/scenario.ts';
import { startModelApi } from '../../test/rig/model-api.ts';
import { endSurvivors } from '../../test/rig/survivors.ts';
import { survivorsOf, textOr } from './rig.ts';
import type { Seen, World } from './world.ts';

/** What a stream has of an answer, and of a turn that was a success: copilot reports one, without an answer, when a signal ends it. */
const ANSWERED: Record<BuiltIn, [said: RegExp, completed: RegExp]> = {
  gemini: [/"role":"assistant"/, /"type":"result".*"status":"success"/],
  codex: [/"type":"agent_message"/, /"type":"turn\.completed"/],
  copilot: [/"type":"assistant\.message"/, /"type":"result".*"exitCode":0/],
  claude: [/"type":"assistant"/, /"is_error":false.*"type":"result"/],
};

/** @param slowMs how long the model thinks. */
export async function realWorld(slowMs: number): Promise<World> {
  const api = await startModelApi();
  const home = new RealHome(TOOLS, api.url('ok'));
  const bin = path.join(home.root, 'bin');
  mkdirSync(bin);
  for (const tool of TOOLS) {
    const script = addressed(tool, `http://127.0.0.1:${api.port}`, `after=${slowMs}`);
    writeFileSync(path.join(bin, tool), script, { mode: 0o755 });
  }
  const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
  // The service lists each call's requests in order; the moment of its answer on disk is read from the disk.
  const begun = () => api.paid().map(({ run }): Seen => ({ what: 'begun', id: run ?? 'nobody' }));
  return {
    root: home.root,
    project: home.project,
    env,
    behaving: () => env,
    seen: () =>
      begun().flatMap((one) => (isAnswered(home.project, one.id) ? [one, { what: 'answered', id: one.id }] : [one])),
    answerOf: () => ANSWER,
    survivors: () => survivorsOf(home.marker),
    async close(what) {
      await (what === 'removed' ? home.dispose() : endSurvivors(home.marker));
      await api.close();
    },
  };
}

/** Starts the real CLI with the call's own address. */
function addressed(tool: BuiltIn, origin: string, scenario: string): string {
  const url = `url="${origin}/r/\${TOLLGATE_CALL_ID##*/}/s/${encodeURIComponent(scenario)}"`;
  const real = path.join(CLIS, '.bin', tool);
  const started = {
    gemini: `GOOGLE_VERTEX_BASE_URL=$url exec ${real} "$@"`,
    codex: `exec ${real} -c "model_providers.test.base_url=\\"$url/v1\\"" "$@"`,
    copilot: `COPILOT_PROVIDER_BASE_URL=$url/v1 exec ${real} "$@"`,
    claude: `ANTHROPIC_BASE_URL=$url exec ${real} "$@"`,
  }[tool];
  return `#!/bin/sh\n${url}\n${started}\n`;
}

function isAnswered(project: string, id: string): boolean {
  const tasks = path.join(project, '.tmp/task');
  const streams = readdirSync(tasks).map((task) => textOr(path.join(tasks, task, 'state/attempts', id, 'stdout')));
  return streams.some((stream) => Object.values(ANSWERED).some((signs) => signs.every((sign) => sign.test(stream))));
}
