// Creates the world of one round: a project, a home, agents on the PATH, and what the model's service saw of them.

import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { SESSION } from '../../test/rig/streams.ts';
import { binaryOf, DESCRIBED, streamOf } from './described.ts';
import type { Behaviour } from './plan.ts';
import { answerOf, CALL, makePlace, type Place, printed } from './rig.ts';

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
