// Creates the world of one round: a project, a home, agents on the PATH, and what the model's service saw of them.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { CLIS, RealHome } from '../../test/real/real-home.ts';
import { ANSWER } from '../../test/rig/model-api/scenario.ts';
import { startModelApi } from '../../test/rig/model-api.ts';
import { SESSION } from '../../test/rig/streams.ts';
import { endSurvivors } from '../../test/rig/survivors.ts';
import { type Behaviour, binaryOf, DESCRIBED, streamOf } from './plan.ts';
import { answerOf, CALL, makePlace, type Place, printed, survivorsOf, textOr } from './rig.ts';

/** What the service saw of a call, in order of time. */
export interface Seen {
  /** `answered`: the whole answer was on disk by then. */
  what: 'begun' | 'answered';
  id: string;
}

export interface World extends Pick<Place, 'root' | 'project' | 'env' | 'survivors' | 'close'> {
  /** The environment of a run in which the agents behave like this; each list begins with the round's first call. */
  behaving(behaviours: readonly Behaviour[]): Record<string, string>;
  seen(): Seen[];
  /** The text that the call with that id answers. */
  answerOf(id: string): string;
}

/** With fake agents. */
export function fakeWorld(n: number): World {
  const agents = Object.fromEntries([...TOOLS, DESCRIBED].map((tool) => [binaryOf(tool), fakeAgent(tool)]));
  const place = makePlace(`torture-${n}`, agents);
  return {
    ...place,
    behaving: (behaviours) => ({ ...place.env, TORTURE_SCRIPT: behaviours.join(' ') }),
    seen: () => place.seen().map(([what, id]) => ({ what, id }) as Seen),
    answerOf,
  };
}

/**
 * The text of the script. It reads `$TORTURE_SEEN` (lines `begun <id>` and `answered <id>`, appended one write each: this
 * is what the model's service saw) and takes the behaviour in `$TORTURE_SCRIPT` that has the number of its own turn.
 */
function fakeAgent(tool: Tool): string {
  const { opens, says, succeeds, fails } = streamOf(tool);
  const whole = [...says(answerOf(CALL)), ...succeeds(SESSION)];
  return `#!/bin/sh
[ "$1" = --version ] && exit
id=\${TOLLGATE_CALL_ID##*/}
printf 'begun %s\\n' "$id" >> "$TORTURE_SEEN"
n=0
while read -r what _; do [ "$what" = begun ] && n=$((n + 1)); done < "$TORTURE_SEEN"
set -- $TORTURE_SCRIPT
[ $n -le $# ] && shift $((n - 1)) && how=$1
[ $# -eq 0 ] && how=
how=\${how:-answer:0}
pause() { case $1 in 0) ;; *) sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))" ;; esac; }
opens() { ${printed(opens(SESSION))}; }
answers() { ${printed(whole)}; printf 'answered %s\\n' "$id" >> "$TORTURE_SEEN"; }
case $how in
mute) exit 0 ;;
dies) opens; printf '{"type":"mess'; kill -9 $$ ;;
hang) opens; exec sleep 30 ;;
busy) opens; ${printed(fails('The model is overloaded. Please try again later.', 503, SESSION))}; exit 1 ;;
brood:*) opens; setsid sleep 30 & (setsid sh -c 'sleep 30 & sleep 30' &) ; pause "\${how#*:}"; answers; exit 0 ;;
linger:*) opens; answers; exec sleep 30 ;;
*) opens; echo "$id" >> made-by-agent.txt; pause "\${how#*:}"; answers ;;
esac
`;
}

// The real CLIs: each call has its own address at the model API on the loopback, so the service knows the caller.

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
