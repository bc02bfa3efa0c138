// Creates the world of a round of sabotage: a project with two tasks, a home, agents that wait, and the user's own files.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';
import { answerOf, CALL, makePlace, printed } from '../rig.ts';

/** The agents of the two stages of task a, and of the one stage of task b. */
export type Caller = 'first' | 'second' | 'other';

/** What the service saw of a call, in order of time. */
export interface Seen {
  what: 'begun' | 'half' | 'answered';
  id: string;
  tool: BuiltIn;
}

export type SabotageWorld = ReturnType<typeof sabotageWorld>;

export const BUDGET = { a: 6, b: 3 };

const TIMEOUT_MS = 20_000;

interface Wanted {
  n: number;
  tools: Record<Caller, BuiltIn>;
  git: boolean;
}

export function sabotageWorld({ n, tools, git }: Wanted) {
  const place = makePlace(`sabotage-${n}`, Object.fromEntries(TOOLS.map((tool) => [tool, gatedAgent(tool)])));
  const { at, write } = place;
  for (const name of ['gates', 'stolen', 'project/src']) mkdirSync(at(name), { recursive: true });
  for (const [name, text] of Object.entries(files(tools))) write(name, text);
  if (git) execFileSync('git', ['init', '-q', '.'], { cwd: place.project });
  return {
    ...place,
    /** The user's own folder, which no process may touch. */
    person: at('person'),
    home: at('home'),
    gates: at('gates'),
    /** Keeps the folders that an agent takes away. */
    stolen: at('stolen'),
    /** The file exists once a command of an edited manifest was run. */
    ran: at('ran-by-an-edited-manifest'),
    /** Of task a, with their tools. */
    stages: { plan: tools.first, check: tools.second },
    env: { ...place.env, SABOTAGE_GATES: '', SABOTAGE_FAILS: '' },
    seen: () => place.seen().map(([what, id, tool]) => ({ what, id, tool }) as Seen),
  };
}

function files(tools: Record<Caller, BuiltIn>): Record<string, string> {
  const stage = (id: string, tool: BuiltIn, role: string) =>
    `  - {id: ${id}, tool: ${tool}, role: ${role}, requires: [], min_lines: 0, on_fail: note, timeout_ms: ${TIMEOUT_MS}}\n`;
  const manifest = (name: 'a' | 'b', stages: string) =>
    `task_id: ${name}\ngoal: Find out what ${name} is.\nmeta: {feature: round}\nstages:\n${stages}acceptance:\n  commands: ["test -d src"]\n` +
    `budgets: {paid_call_budget: ${BUDGET[name]}, retry_budget: 1}\n`;
  return {
    'person/precious.md': 'A letter of a person.\n',
    'person/folder/letter.md': 'Another one.\n',
    'home/.profile': 'export EDITOR=vi\n',
    'project/src/file.txt': 'source\n',
    'project/tollgate.yaml':
      'rules: rules.md\nroles: {brief: {template: templates/brief.md}}\nsessions: {rest_sec: 0}\n',
    'project/rules.md': 'Be brief.\n',
    'project/templates/brief.md': 'Say what {{task_id}} is.\n{{> part}}\n',
    'project/templates/part.md': 'In one line.\n',
    'project/.tmp/task/a/manifest.yaml': manifest(
      'a',
      stage('plan', tools.first, 'brief') + stage('check', tools.second, 'verify'),
    ),
    'project/.tmp/task/a/inputs/user_request.md': 'Tell me.\n',
    'project/.tmp/task/a/inputs/context_pack.md': '# Context\n',
    'project/.tmp/task/a/inputs/attachments/notes.md': 'Notes.\n',
    'project/.tmp/task/b/manifest.yaml': manifest('b', stage('look', tools.other, 'verify')),
    'project/.tmp/task/b/inputs/user_request.md': 'Tell me of b.\n',
  };
}

/**
 * A shell script in the stream of one CLI. To `$TORTURE_SEEN` it appends lines of `<what> <call> <tool>`, one write each; where
 * `$SABOTAGE_GATES` names a folder it waits at `begun`, `half` and `answered` for a line in a FIFO of its own there. `$SABOTAGE_FAILS`
 * lists the tools whose service refuses the key.
 */
function gatedAgent(tool: BuiltIn): string {
  const { opens, says, succeeds, fails } = STREAMS[tool];
  return `#!/bin/sh
[ "$1" = --version ] && exit
id=\${TOLLGATE_CALL_ID##*/}
note() { printf '%s %s ${tool}\\n' "$1" "$id" >> "$TORTURE_SEEN"; }
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
${printed([...says(answerOf(CALL)), ...succeeds(SESSION)])}
step answered
exit 0
`;
}
