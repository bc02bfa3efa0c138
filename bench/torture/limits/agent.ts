// The fake agent of a limited round: a shell script which notes when it began and when it ended, one write each, in the order in which that was.

import path from 'node:path';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';

const ANSWER = '# Summary\n\nA.\n\n# Findings\n\nNone.\n\n# Verdict\n\nPASS\n';

const TOLLGATE = path.resolve(import.meta.dirname, '../../../dist/tollgate.cjs');

/**
 * In a session of its own, once another process is its parent: the old one stays a zombie, since the agent waits for
 * the pipe and not for it.
 */
const ORPHAN = `setsid sh -c 'sh -c '"'"'while read -r _ _ _ parent _ < /proc/self/stat && [ "$parent" = "$0" ]; do :; done; exec "$@"'"'"' $$ "$@" &' sh`;

/** One agent in eight tries to take the limits away, without its environment: half of these as orphans. */
export function limitsAgent(tool: BuiltIn): string {
  const { opens, says, succeeds } = STREAMS[tool];
  const text = [...opens(SESSION), ...says(ANSWER), ...succeeds(SESSION)].join('\n').replaceAll("'", "'\\''");
  return `#!/bin/sh
[ "$1" = --version ] && exit
id=\${TOLLGATE_CALL_ID##*/}
printf 'begun %s\\n' "$id" >> "$TORTURE_SEEN"
tries() {
  said=$(env -i PATH="$PATH" HOME="$HOME" TMPDIR="$TMPDIR" TORTURE_ROUND="$TORTURE_ROUND" "$@" 2>&1)
  case "$said" in
  *'a call may not change a budget'*) printf 'refused %s\\n' "$id" >> "$TORTURE_SEEN" ;;
  *) printf 'loosened %s\\n' "$id" >> "$TORTURE_SEEN" ;;
  esac
}
case "$id" in
*0) tries '${process.execPath}' '${TOLLGATE}' budget --per day --unset ;;
*1) tries ${ORPHAN} '${process.execPath}' '${TOLLGATE}' budget --at-once 1000 --per day --set 1000 ;;
esac
sleep "$TORTURE_WORK_SEC"
printf '%s\\n' '${text}'
printf 'ended %s\\n' "$id" >> "$TORTURE_SEEN"
`;
}
