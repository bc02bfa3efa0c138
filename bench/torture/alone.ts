// Checks wrappers without a task: leftovers of killed ones are swept, answers are published or kept, folders removed.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Ended, start } from './command.ts';
import type { Violation } from './invariants.ts';
import { readdirOr } from './rig.ts';
import type { Seen, World } from './world.ts';

/** Ends and settles what is still running. */
export const sweep = (world: World): Promise<Ended> =>
  start('tollgate', ['preflight', '--sweep', '--now', '--json'], world.project, world.behaving([])).ended;

/** No process repeats such a call by itself, so each answer that was on disk must be in the requested place. */
export function checkAlone(world: World, seen: readonly Seen[]): Violation[] {
  const violations: Violation[] = [];
  const outs = readdirSync(world.project).filter((name) => name.endsWith('.out'));
  const texts = outs.map((name) => readFileSync(path.join(world.project, name), 'utf8'));
  const ids = seen.filter(({ what }) => what === 'begun').map(({ id }) => id);
  if (new Set(ids).size < ids.length) violations.push({ what: 'double', why: `a call asked twice: ${ids.join(' ')}` });
  for (const { what, id } of seen)
    if (what === 'answered' && !texts.includes(world.answerOf(id)))
      violations.push({ what: 'lost', why: `${id} was answered, and stands in none of ${outs.join(' ')}` });
  const register = registerOf(world);
  // A wrapper that was killed before it registered itself leaves an empty $TMPDIR, which is removed after a day.
  const isOfBegun = (name: string) => ids.some((id) => name.includes(id.slice(-8)));
  const left = [
    ...readdirOr(register).map((name) => `${register}/${name}`),
    ...readdirSync(world.project).filter((name) => name.startsWith('.') && name !== '.tmp'),
    ...readdirSync(world.temporary).filter((name) => name.startsWith('tg-') && isOfBegun(name)),
  ];
  return [...violations, ...left.map((why) => ({ what: 'leftovers', why }) as const)];
}

export const registerOf = (world: World): string => path.join(world.env.HOME!, '.local/state/tollgate/calls');
