// Creates the world of a round of sabotage: a project with two tasks, a home, agents that wait, and the user's own files.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';
import { endSurvivors, findSurvivors, type Survivor } from '../../../test/rig/survivors.ts';
import { answerOf, CALL, makePlace, printed, wordsIn } from '../rig.ts';
import type { SabotagePlan } from './plan.ts';

/** What the service saw of a call, in order of time. */
export interface Seen {
  what: 'begun' | 'half' | 'answered';
  id: string;
  tool: BuiltIn;
}

export interface SabotageWorld {
  root: string;
  project: string;
  /** The user's own folder, which no process may touch. */
  person: string;
  home: string;
  gates: string;
  /** Keeps what an agent moves away completely. */
  stolen: string;
  /** A file that exists once a command of an edited manifest was run. */
  ran: string;
  /** The stages of task a, with their tools. */
  stages: Record<'plan' | 'check', BuiltIn>;
  env: Record<string, string>;
  seen(): Seen[];
  survivors(): Survivor[];
  dispose(): Promise<void>;
}

export const BUDGET = { a: 6, b: 3 };

const TIMEOUT_MS = 20_000;

export function sabotageWorld(plan: SabotagePlan): SabotageWorld {
  const agents = Object.fromEntries(TOOLS.map((tool) => [tool, gatedAgent(tool)]));
  const { root, at: place, marker, ...made } = makePlace(`sabotage-${plan.n}`, agents, 'SABOTAGE_ROUND');
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(place(name)), { recursive: true });
    writeFileSync(place(name), text);
  };
  for (const name of ['gates', 'stolen', 'project/src']) mkdirSync(place(name), { recursive: true });
  for (const [name, text] of Object.entries(files(plan))) write(name, text);
  if (plan.git) execFileSync('git', ['init', '-q', '.'], { cwd: place('project') });
  const env = { ...made.env, SABOTAGE_SEEN: place('seen'), SABOTAGE_GATES: '', SABOTAGE_FAILS: '' };
  return {
    root,
    project: place('project'),
    person: place('person'),
    home: place('home'),
    gates: place('gates'),
    stolen: place('stolen'),
    ran: place('ran-by-an-edited-manifest'),
    stages: { plan: plan.tools.first, check: plan.tools.second },
    env,
    seen: () =>
      (wordsIn(readFileSync(place('seen'), 'utf8')) as [Seen['what'], string, BuiltIn][]).map(([what, id, tool]) => ({
        what,
        id,
        tool,
      })),
    survivors: () => findSurvivors(marker),
    async dispose() {
      await endSurvivors(marker);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function files({ tools }: SabotagePlan): Record<string, string> {
  const stage = (id: string, tool: BuiltIn, role: string) =>
    `  - {id: ${id}, tool: ${tool}, role: ${role}, requires: [], min_lines: 0, on_fail: note, timeout_ms: ${TIMEOUT_MS}}\n`;
  const manifest = (name: 'a' | 'b', stages: string) =>
    `task_id: ${name}\ngoal: Find out what ${name} is.\nmeta: {feature: round}\nstages:\n${stages}acceptance:\n  commands: ["test -d src"]\n` +
    `budgets: {paid_call_budget: ${BUDGET[name]}, retry_budget: 1}\n`;
  return {
    seen: '',
    'person/precious.md': 'A letter that nobody may touch.\n',
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
 * A shell script that prints the stream of one CLI. It appends lines of `<what> <call> <tool>` to `$SABOTAGE_SEEN`, one write
 * each. If `$SABOTAGE_GATES` names a folder, it waits at `begun`, `half` and `answered` for a line in its own FIFO there.
 * `$SABOTAGE_FAILS` lists the tools whose service refuses the key.
 */
function gatedAgent(tool: BuiltIn): string {
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
${printed([...says(answerOf(CALL)), ...succeeds(SESSION)])}
step answered
exit 0
`;
}
