// Creates the world of one round: a project, a home, agents on the PATH, and what the model's service saw of them.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { SESSION } from '../../test/rig/streams.ts';
import { endSurvivors, findSurvivors, type Survivor } from '../../test/rig/survivors.ts';
import { binaryOf, DESCRIBED, streamOf } from './described.ts';
import type { Behaviour } from './plan.ts';
import { answerOf, CALL, makePlace, printed, wordsIn } from './rig.ts';

/** What the service saw of a call, in order of time. */
export interface Seen {
  /** `answered`: the whole answer was on disk by then. */
  what: 'begun' | 'answered';
  id: string;
}

export interface World {
  root: string;
  project: string;
  temporary: string;
  env: Record<string, string>;
  /** The environment of a run in which the agents behave like this; each list begins with the round's first call. */
  behaving(behaviours: readonly Behaviour[]): Record<string, string>;
  seen(): Seen[];
  /** The text that the call with that id answers. */
  answerOf(id: string): string;
  survivors(): Survivor[];
  dispose(): Promise<void>;
}

/** A world with fake agents; each notes its calls in a file. */
export function fakeWorld(n: number): World {
  const agents = Object.fromEntries([...TOOLS, DESCRIBED].map((tool) => [binaryOf(tool), fakeAgent(tool)]));
  const { root, at, marker, ...place } = makePlace(`torture-${n}`, agents);
  writeFileSync(at('seen'), '');
  const env = { ...place.env, TORTURE_SEEN: at('seen') };
  return {
    root,
    project: at('project'),
    temporary: at('tmp'),
    env,
    behaving: (behaviours) => ({ ...env, TORTURE_SCRIPT: behaviours.join(' ') }),
    seen: () =>
      (wordsIn(readFileSync(at('seen'), 'utf8')) as [Seen['what'], string][]).map(([what, id]) => ({ what, id })),
    answerOf,
    survivors: () => findSurvivors(marker),
    async dispose() {
      await endSurvivors(marker);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * The text of the script. It appends lines `begun <id>` and `answered <id>` to `$TORTURE_SEEN`, one write each: this is what the
 * model's service saw. It takes its behaviour from `$TORTURE_SCRIPT`, at the position of its turn.
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
