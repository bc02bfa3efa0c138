// Plays a distilled round: the service fails, the command is killed, stopped and paused, and resumed until the book is complete.

import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pick, randomFrom } from '../../random.ts';
import { dueIn, type Started, start, strike } from '../command.ts';
import { kindOf, makePlace, sumOf, textOr } from '../rig.ts';
import * as invariants from './invariants.ts';
import { type DistillStrike, distillPlanOf } from './plan.ts';
import { apiSide, cliSide, type DistillSide, textOf } from './side.ts';

export const DISTILL = kindOf({
  title: 'distilled rounds',
  wrong: invariants.WRONG,
  play: playDistillRound,
  line: ({ asked, starts, killed }) => `${asked} turns, ${starts} starts, ${killed} killed`,
  more(rounds) {
    const sum = (name: 'asked' | 'faults' | 'starts' | 'killed' | 'accepted') => sumOf(rounds, (round) => round[name]);
    const sections = sumOf(rounds, ({ plan }) => plan.sections);
    const overCli = rounds.filter(({ plan }) => plan.via !== null).length;
    return [
      `${sections} sections, ${sum('asked')} turns asked, ${sum('faults')} injected failures, ${sum('starts')} starts, ${sum('killed')} killed, ${sum('accepted')} held answers accepted; ${overCli} rounds over a CLI`,
    ];
  },
});

/** More than strikes and pauses can require. */
const MAX_STARTS = 60;
const NAME = 'book';

async function playDistillRound(seed: number, n: number) {
  const plan = distillPlanOf(seed, n);
  const random = randomFrom('answer to a hold', seed, n);
  const place = makePlace(`torture-distill-${n}`);
  const { root, project } = place;
  const side = plan.via === null ? await apiSide(seed, plan) : cliSide(seed, plan, plan.via, place);
  place.write('project/book.txt', 'It is a truth universally acknowledged.\n'.repeat(50));
  place.write('project/prompt.md', 'Distil the book, section by section.\n');
  const env = { ...place.env, ...side.env };
  const command = (...words: string[]) => start(['tollgate', 'distill', ...words], { project, env }, 60_000);
  const folder = path.join(project, '.tmp/distill', NAME);
  const isBegun = () => existsSync(path.join(folder, 'run.json'));
  const lastTurn = () => side.turns().at(-1)?.n ?? 0;
  const violations: invariants.DistillViolation[] = [];
  const kills: invariants.DistillKill[] = [];
  const said: invariants.DistillSaid[] = [];
  let [starts, killed] = [0, 0];
  let code: number | null = null;
  let last = '';
  for (; starts < MAX_STARTS && code !== 0; starts += 1) {
    // A refused key ends the command; a section that is dropped and requested again then has another answer.
    const held = invariants.heldIn(folder);
    const isOnlyOfVersion = held?.name === 'model_changed' && held.also === undefined;
    const accepts = isOnlyOfVersion && pick(random, [true, true, true, false]);
    const running = isBegun()
      ? command('resume', NAME, ...(accepts ? ['--accept'] : []), ...side.goesOn, '--json')
      : command('book.txt', '--prompt', 'prompt.md', '--name', NAME, ...side.begins, '--json');
    const struck = plan.strikes[starts];
    const turn = lastTurn();
    const others: Promise<unknown>[] = [];
    if (struck !== undefined) await comes(struck, running, side);
    if (struck !== undefined && !running.over()) {
      if (struck.how === 'expire') side.expire();
      else if (struck.how === 'second') others.push(command('resume', NAME, ...side.goesOn, '--json').ended);
      else if (struck.how === 'pause' || struck.how === 'stop') others.push(command(struck.how, NAME).ended);
      else killed += await strike(running, { ...STRUCK[struck.how], afterMs: 0 });
    }
    const ended = await running.ended;
    await Promise.all(others);
    said.push(...invariants.saidIn(folder, said.length).map((one) => ({ ...one, turn })));
    ({ code } = ended);
    last = `${ended.stdout.slice(-1500)}${ended.stderr.slice(-1500)}`;
    if (ended.signal !== null || struck?.how === 'term') {
      // A call of a CLI outlives the command, and its answer counts; TERM ends it.
      if (plan.via === null || struck?.how === 'term')
        kills.push({ turn: lastTurn(), kept: invariants.keptIn(folder, plan.sections, plan.via === null) });
      const { code, stderr } = await command('status', NAME, '--json').ended;
      if (code !== 0 && isBegun())
        violations.push({ what: 'unreadable', why: `status ended with ${code}: ${stderr.slice(-500)}` });
    }
    if (code === 70) violations.push({ what: 'unreadable', why: `a bug of ours: ${last}` });
  }
  if (code !== 0) violations.push({ what: 'undone', why: `its last run ended with ${code}: ${last}` });
  const texts = Array.from({ length: plan.sections }, (_, i) => textOf(i + 1, plan.sections));
  if (code === 0) violations.push(...invariants.checkDocument(textOr(path.join(folder, `${NAME}.md`)), texts));
  violations.push(...invariants.checkAsked(side.turns(), kills, said));
  const booked = invariants.bookedIn(folder);
  if (booked < side.paid())
    violations.push({ what: 'unbooked', why: `${side.paid()} turns were paid for, and ${booked} reserved` });
  violations.push(...place.survivors().map((why) => ({ what: 'running', why }) as const));
  await side.close();
  writeFileSync(path.join(root, 'seen.json'), JSON.stringify({ kills, said, seen: side.record() }, null, 1));
  const [asked, faults] = [side.turns().length, side.faults()];
  await place.close(violations.length === 0 ? 'removed' : 'kept');
  const accepted = said.filter(({ how }) => how === 'accept').length;
  return { plan, asked, faults, starts, killed, accepted, violations, root };
}

const STRUCK = {
  kill: { at: 'dispatcher' },
  term: { at: 'dispatcher', signal: 'SIGTERM' },
  guardian: { at: 'guardian' },
  both: { at: 'both' },
} as const;

/** Resolves when the strike is due, or when no process remains to strike. */
async function comes({ after }: DistillStrike, running: Started, side: DistillSide): Promise<void> {
  if ('ask' in after) {
    const due = side.turns().length + after.ask;
    await dueIn(() => side.turns().length >= due, running);
  }
  await Promise.race([pause(after.ms), running.ended]);
}
