// Creates the world of a round with the real CLIs: each call has its own address at the model API, which identifies the caller.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { CLIS, RealHome } from '../../test/real/real-home.ts';
import { ANSWER } from '../../test/rig/model-api/scenario.ts';
import { startModelApi } from '../../test/rig/model-api.ts';
import { findSurvivors } from '../../test/rig/survivors.ts';
import { readdirOr } from './rig.ts';
import type { Seen, World } from './world.ts';

/**
 * The patterns of an answer and of a successful turn in a stream. On a request to end, copilot reports success without an answer.
 */
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
    writeFileSync(path.join(bin, tool), addressed(tool, `http://127.0.0.1:${api.port}`, `after=${slowMs}`));
    chmodSync(path.join(bin, tool), 0o755);
  }
  const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
  // The service lists each call's requests in order; the moment of its answer on disk is read from the disk.
  const begun = () => api.paid().map(({ run }): Seen => ({ what: 'begun', id: run ?? 'nobody' }));
  return {
    root: home.root,
    project: home.project,
    temporary: path.join(home.root, 'tmp'),
    env,
    behaving: () => env,
    seen: () =>
      begun().flatMap((one) => (isAnswered(home.project, one.id) ? [one, { what: 'answered', id: one.id }] : [one])),
    answerOf: () => ANSWER,
    survivors: () => findSurvivors(home.marker),
    async dispose() {
      await home.dispose();
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

function attemptOf(project: string, id: string): string | null {
  const tasks = path.join(project, '.tmp/task');
  const name = readdirSync(tasks).find((task) => readdirOr(path.join(tasks, task, 'state/attempts')).includes(id));
  return name === undefined ? null : path.join(tasks, name, 'state/attempts', id);
}

function isAnswered(project: string, id: string): boolean {
  const attempt = attemptOf(project, id);
  try {
    const stream = readFileSync(path.join(attempt ?? '', 'stdout'), 'utf8');
    return Object.values(ANSWERED).some((signs) => signs.every((sign) => sign.test(stream)));
  } catch {
    return false;
  }
}
