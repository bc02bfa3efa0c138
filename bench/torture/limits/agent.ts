// The fake agent of a limited round: a shell script which notes when it began and when it ended, one write each, in the order in which that was.

import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';

const ANSWER = '# Summary\n\nA.\n\n# Findings\n\nNone.\n\n# Verdict\n\nPASS\n';

export function limitsAgent(tool: BuiltIn): string {
  const { opens, says, succeeds } = STREAMS[tool];
  const text = [...opens(SESSION), ...says(ANSWER), ...succeeds(SESSION)].join('\n').replaceAll("'", "'\\''");
  return `#!/bin/sh
[ "$1" = --version ] && exit
id=\${TOLLGATE_CALL_ID##*/}
printf 'begun %s\\n' "$id" >> "$TORTURE_SEEN"
sleep "$TORTURE_WORK_SEC"
printf '%s\\n' '${text}'
printf 'ended %s\\n' "$id" >> "$TORTURE_SEEN"
`;
}
