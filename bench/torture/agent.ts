// The fake agent of a round: a shell script in the stream of one CLI, which notes when it was asked and when its answer was on disk.

import type { Tool } from '../../policies/facts/tools.ts';
import { SESSION } from '../../test/rig/streams.ts';
import { streamOf } from './described.ts';

/** Stands in the answer for the id of the call. */
const ID = '@ID@';

/**
 * The text of the script. It reads `$TORTURE_SEEN` (lines `begun <id>` and `answered <id>`, appended one write each: this
 * is what the model's service saw) and takes the behaviour in `$TORTURE_SCRIPT` that stands at its own turn.
 */
export function fakeAgent(tool: Tool): string {
  const { opens, says, succeeds, fails } = streamOf(tool);
  const whole = [...says(answerOf(ID)), ...succeeds(SESSION)];
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

/** What the call with that id answers. */
export const answerOf = (id: string): string => `the answer of ${id}`;

/** As one write: a line of JSON in single quotes, the id put in by the shell. */
function printed(lines: readonly string[]): string {
  const text = lines.join('\n').replaceAll("'", "'\\''").replaceAll(ID, `'"$id"'`);
  return `printf '%s\\n' '${text}'`;
}
