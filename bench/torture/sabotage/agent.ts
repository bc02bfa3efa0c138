// The agent of a round of sabotage: it says when it was asked and when its answer was on disk, and waits at each step until it is let go.

import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';

/** Stands in the answer for the id of the call. */
const ID = '@ID@';

/**
 * A shell script in the stream of one CLI. To `$SABOTAGE_SEEN` it appends lines of `<what> <call> <tool>`, one write each; where
 * `$SABOTAGE_GATES` names a folder it waits at `begun`, `half` and `answered` for a line in a FIFO of its own there. `$SABOTAGE_FAILS`
 * lists the tools whose service refuses the key.
 */
export function gatedAgent(tool: BuiltIn): string {
  const { opens, says, succeeds, fails } = STREAMS[tool];
  return `#!/bin/sh
[ "$1" = --version ] && exit
id=\${TOLLGATE_CALL_ID##*/}
note() { printf '%s %s ${tool}\\n' "$1" "$id" >> "$SABOTAGE_SEEN"; }
step() {
  [ -z "$SABOTAGE_GATES" ] && { note "$1"; return; }
  mkfifo "$SABOTAGE_GATES/$id.$1"
  note "$1"
  read -r _ < "$SABOTAGE_GATES/$id.$1"
}
step begun
${printed(opens(SESSION))}
case " $SABOTAGE_FAILS " in *" ${tool} "*)
  ${printed(fails('Invalid API key', 401, SESSION))}
  exit 1 ;;
esac
step half
${printed([...says(answerOf(ID)), ...succeeds(SESSION)])}
step answered
exit 0
`;
}

/** What the call with that id answers. */
export const answerOf = (id: string): string => `the answer of ${id}`;

/** As one write: lines of JSON in single quotes, the id put in by the shell. */
function printed(lines: readonly string[]): string {
  const text = lines.join('\n').replaceAll("'", "'\\''").replaceAll(ID, `'"$id"'`);
  return `printf '%s\\n' '${text}'`;
}
