// What answers in a distilled round: the service of the API on the loopback, or a CLI.

import { mkdirSync } from 'node:fs';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { type DocumentApi, startDocumentApi } from '../../../test/rig/document-api.ts';
import { sectionText } from '../../../test/rig/model-api/documents/answers.ts';
import { STREAMS } from '../../../test/rig/streams.ts';
import { randomFrom, whole } from '../../random.ts';
import type { Place } from '../rig.ts';
import { type DistillPlan, misfortunes } from './plan.ts';

/** One turn, and whether it was answered. */
export interface TurnSeen {
  n: number;
  section: number;
  /** The answer was complete and correct. */
  whole: boolean;
}

export type DistillSide = Awaited<ReturnType<typeof apiSide>>;

export const BOOK = { endMarker: '<end_of_book>', modelVersion: 'gemini-2.5-pro', characters: 400 };

export const textOf = (number: number, sections: number): string =>
  sectionText({ ...BOOK, sections }, number)
    .replace(BOOK.endMarker, '')
    .trim();

export async function apiSide(seed: number, plan: DistillPlan) {
  const faultOf = misfortunes(seed, plan.n);
  const api: DocumentApi = await startDocumentApi({
    ...{ ...BOOK, sections: plan.sections, workMs: plan.workMs, looks: -1 },
    choose: ({ kind }) => faultOf(kind),
  });
  const turns = (): TurnSeen[] =>
    api.requests().flatMap(({ n, turn }) => (turn === null ? [] : [{ n, section: turn.section, whole: turn.whole }]));
  return {
    /** The flags of the command that begins, and of each one that resumes. */
    begins: ['--model', 'gemini-2.5-pro', '--auto-wait', '5s'],
    goesOn: ['--auto-wait', '5s'],
    env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: api.url } as Record<string, string>,
    turns,
    /** Turns that the service worked on. */
    paid: () => api.paid().length,
    faults: () => api.requests().filter(({ fault }) => fault !== null).length,
    /** The service forgets the uploads. */
    expire: () => api.files.expire(),
    /** All that was seen, for a person who reads a bad round. */
    record: (): object =>
      api.requests().map(({ turn, ...request }) => ({ ...request, section: turn?.section, whole: turn?.whole })),
    close: () => api.close(),
  };
}

/** Its stream has this for the id of the session. */
const SESSION = '00000000-0000-4000-8000-999999999999';
const OPENS = SESSION.slice(0, -12);
/** One turn in six fails, in one of these ways. */
const FAILS = ['mute', 'dies', 'busy', 'short', 'refusal'] as const;
const CALLS = 200;

/** A shell script that prints the stream of a CLI, keeps conversations by session, and may fail. */
export function cliSide(seed: number, plan: DistillPlan, tool: BuiltIn, { at, write, seen }: Place): DistillSide {
  mkdirSync(at('agent/sessions'), { recursive: true });
  const { opens, says, succeeds, fails } = STREAMS[tool];
  const prints = (name: string, lines: readonly string[]) => write(`agent/${name}`, `${lines.join('\n')}\n`);
  const answers = (name: string, text: string) =>
    prints(name, [...opens(SESSION), ...says(text), ...succeeds(SESSION)]);
  for (let n = 1; n <= plan.sections; n += 1)
    answers(`section-${n}`, sectionText({ ...BOOK, sections: plan.sections }, n));
  answers('short', 'Yes.');
  answers('refusal', `I'm sorry, but I cannot help with that. ${'Really not. '.repeat(30)}`);
  prints('busy', [...opens(SESSION), ...fails('The model is overloaded.', 503, SESSION)]);
  prints('opens', opens(SESSION));
  const random = randomFrom('misfortune', seed, plan.n);
  const how = Array.from({ length: CALLS }, () =>
    random() < 1 / 6 ? FAILS[whole(random, 0, FAILS.length - 1)]! : 'answer',
  );
  prints('how', how);
  write(`bin/${tool}`, scriptIn(at('agent'), plan.workMs), 0o755);
  const turns = (): TurnSeen[] => {
    const idsOf = (what: string) => seen().filter(([one]) => one === what);
    const answered = new Set(idsOf('answered').map(([, id]) => id));
    return idsOf('begun').map(([, id, section], i) => ({
      n: i + 1,
      section: Number(section),
      whole: answered.has(id),
    }));
  };
  return {
    begins: ['--via', tool, '--trust-workspace', '--no-check', 'loop'],
    goesOn: ['--trust-workspace'],
    env: {},
    turns,
    paid: () => turns().length,
    faults: () => turns().filter(({ whole }) => !whole).length,
    expire: () => {},
    record: () => ({ lines: seen(), how: how.slice(0, turns().length + 1) }),
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
printf 'begun %s %s\\n' "$$-$n" "$n" >> "$TORTURE_SEEN"
how=$(sed -n "$(grep -c '^begun' "$TORTURE_SEEN")p" "$agent/how")
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
printf 'answered %s %s\\n' "$$-$n" "$n" >> "$TORTURE_SEEN"
`;
