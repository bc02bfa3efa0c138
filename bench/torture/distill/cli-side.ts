// Plays a CLI instead of the service: a shell script that prints its stream, keeps conversations by session, and may fail.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { sectionText } from '../../../test/rig/model-api/documents/answers.ts';
import { STREAMS } from '../../../test/rig/streams.ts';
import { randomFrom, whole } from '../../random.ts';
import type { DistillPlan } from './plan.ts';
import { BOOK, type DistillSide, type TurnSeen } from './side.ts';

/** A placeholder in the stream for the id of the session. */
const SESSION = '00000000-0000-4000-8000-999999999999';
const OPENS = SESSION.slice(0, -12);
/** The ways in which one turn in six fails. */
const FAILS = ['mute', 'dies', 'busy', 'short', 'refusal'] as const;
const CALLS = 200;

/** @param root the folder of the round. */
export function cliSide(seed: number, plan: DistillPlan, tool: BuiltIn, root: string): DistillSide {
  const at = (name: string) => path.join(root, 'agent', name);
  mkdirSync(at('bin'), { recursive: true });
  mkdirSync(at('sessions'));
  writeFileSync(at('seen'), '');
  const { opens, says, succeeds, fails } = STREAMS[tool];
  const answers = (name: string, text: string) =>
    writeFileSync(at(name), `${[...opens(SESSION), ...says(text), ...succeeds(SESSION)].join('\n')}\n`);
  for (let n = 1; n <= plan.sections; n += 1)
    answers(`section-${n}`, sectionText({ ...BOOK, sections: plan.sections }, n));
  answers('short', 'Yes.');
  answers('refusal', `I'm sorry, but I cannot help with that. ${'Really not. '.repeat(30)}`);
  writeFileSync(at('busy'), `${[...opens(SESSION), ...fails('The model is overloaded.', 503, SESSION)].join('\n')}\n`);
  writeFileSync(at('opens'), `${opens(SESSION).join('\n')}\n`);
  const random = randomFrom('misfortune', seed, plan.n);
  const how = Array.from({ length: CALLS }, () =>
    random() < 1 / 6 ? FAILS[whole(random, 0, FAILS.length - 1)]! : 'answer',
  );
  writeFileSync(at('how'), `${how.join('\n')}\n`);
  writeFileSync(path.join(at('bin'), tool), scriptIn(path.join(root, 'agent'), plan.workMs));
  chmodSync(path.join(at('bin'), tool), 0o755);
  const lines = () =>
    readFileSync(at('seen'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [what: string, id: string, section: string]);
  const turns = (): TurnSeen[] => {
    const all = lines();
    const answered = new Set(all.flatMap(([what, id]) => (what === 'answered' ? [id] : [])));
    const begun = all.filter(([what]) => what === 'begun');
    return begun.map(([, id, section], i) => ({ n: i + 1, section: Number(section), whole: answered.has(id) }));
  };
  return {
    begins: ['--via', tool, '--trust-workspace', '--no-check', 'loop'],
    goesOn: ['--trust-workspace'],
    env: { PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin` },
    turns,
    paid: () => turns().length,
    faults: () => turns().filter(({ whole }) => !whole).length,
    expire: () => {},
    record: () => ({ lines: lines(), how: how.slice(0, turns().length + 1) }),
    close: async () => {},
  };
}

/** `answered`: the whole answer was on disk by then. */
const scriptIn = (folder: string, workMs: number): string => `#!/bin/sh
[ "$1" = --version ] && exit
agent='${folder}'
prompt=$(cat)
sid=
for word in "$@"; do case $word in *${OPENS}*) sid=\${word#*=} ;; esac; done
if [ -n "$sid" ]; then n=$(cat "$agent/sessions/$sid")
else
  sid=$(printf '${OPENS}%012d' $$)
  case $prompt in *so-far.md*) n=$(grep -c '^## Section ' so-far.md) ;; *) n=0 ;; esac
fi
n=$((n + 1))
printf 'begun %s %s\\n' "$$-$n" "$n" >> "$agent/seen"
how=$(sed -n "$(grep -c '^begun' "$agent/seen")p" "$agent/how")
sleep ${(workMs / 1000).toFixed(3)}
says() { sed "s/${SESSION}/$sid/g" "$agent/$1"; }
case $how in
mute) exit 0 ;;
dies) says opens; printf '{"type":"mess'; kill -9 $$ ;;
busy) says busy; exit 1 ;;
short | refusal) says $how; echo "$n" > "$agent/sessions/$sid"; exit 0 ;;
esac
says "section-$n"
echo "$n" > "$agent/sessions/$sid"
printf 'answered %s %s\\n' "$$-$n" "$n" >> "$agent/seen"
`;
