// Plays a distilled round: the service fails, the command is killed, stopped and paused, and resumed until the book is complete.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endSurvivors, findSurvivors } from '../../../test/rig/survivors.ts';
import { pick, randomFrom } from '../../random.ts';
import { type Started, start } from '../command.ts';
import { kill, makePlace, tallyOf } from '../rig.ts';
import { cliSide } from './cli-side.ts';
import { checkAsked, checkDocument, type DistillKill, type DistillSaid, type DistillViolation } from './invariants.ts';
import { bookedIn, heldIn, keptIn, saidIn } from './kept.ts';
import { type DistillPlan, type DistillStrike, distillPlanOf } from './plan.ts';
import { apiSide, type DistillSide, textOf } from './side.ts';

export interface DistillRound {
  plan: DistillPlan;
  asked: number;
  faults: number;
  starts: number;
  killed: number;
  accepted: number;
  violations: DistillViolation[];
  root: string;
}

/** More than strikes and pauses can require. */
const MAX_STARTS = 60;
const NAME = 'book';

export async function playDistillRound(seed: number, n: number): Promise<DistillRound> {
  const plan = distillPlanOf(seed, n);
  const random = randomFrom('answer to a hold', seed, n);
  const place = makePlace(`torture-distill-${n}`);
  const { root, at, marker } = place;
  const side = plan.via === null ? await apiSide(seed, plan) : cliSide(seed, plan, plan.via, root);
  const project = at('project');
  writeFileSync(at('project/book.txt'), 'It is a truth universally acknowledged.\n'.repeat(50));
  writeFileSync(at('project/prompt.md'), 'Distil the book, section by section.\n');
  const env = { ...place.env, ...side.env };
  const command = (...words: string[]) => start('tollgate', ['distill', ...words], project, env, 60_000);
  const folder = path.join(project, '.tmp/distill', NAME);
  const lastTurn = () => side.turns().at(-1)?.n ?? 0;
  const violations: DistillViolation[] = [];
  const kills: DistillKill[] = [];
  const said: DistillSaid[] = [];
  let [starts, killed] = [0, 0];
  let code: number | null = null;
  let last = '';
  for (; starts < MAX_STARTS && code !== 0; starts += 1) {
    // A refused key ends the command; a section that is dropped and requested again then has another answer.
    const held = heldIn(folder);
    const isOnlyOfVersion = held?.name === 'model_changed' && held.also === undefined;
    const accepts = isOnlyOfVersion && pick(random, [true, true, true, false]);
    const running = existsSync(path.join(folder, 'run.json'))
      ? command('resume', NAME, ...(accepts ? ['--accept'] : []), ...side.goesOn, '--json')
      : command('book.txt', '--prompt', 'prompt.md', '--name', NAME, ...side.begins, '--json');
    const strike = plan.strikes[starts];
    const turn = lastTurn();
    const others: Promise<unknown>[] = [];
    if (strike !== undefined) await comes(strike, running, side);
    if (strike !== undefined && !running.over()) {
      if (strike.how === 'expire') side.expire();
      else if (strike.how === 'second') others.push(command('resume', NAME, ...side.goesOn, '--json').ended);
      else if (strike.how === 'pause' || strike.how === 'stop') others.push(command(strike.how, NAME).ended);
      else {
        const signal = strike.how === 'term' ? 'SIGTERM' : 'SIGKILL';
        killed += (await running.find(STRUCK[strike.how])).filter((pid) => kill(pid, signal)).length;
      }
    }
    const ended = await running.ended;
    await Promise.all(others);
    said.push(...saidIn(folder, said.length).map((one) => ({ ...one, turn })));
    ({ code } = ended);
    last = `${ended.stdout.slice(-1500)}${ended.stderr.slice(-1500)}`;
    if (ended.signal !== null || strike?.how === 'term') {
      // The call of a CLI outlives the command, and its answer is used; only TERM ends it.
      if (plan.via === null || strike?.how === 'term')
        kills.push({ turn: lastTurn(), kept: keptIn(folder, plan.sections, plan.via === null) });
      const { code, stderr } = await command('status', NAME, '--json').ended;
      if (code !== 0 && existsSync(path.join(folder, 'run.json')))
        violations.push({ what: 'unreadable', why: `status ended with ${code}: ${stderr.slice(-500)}` });
    }
    if (code === 70) violations.push({ what: 'unreadable', why: `a bug of ours: ${last}` });
  }
  if (code !== 0) violations.push({ what: 'undone', why: `its last run ended with ${code}: ${last}` });
  const texts = Array.from({ length: plan.sections }, (_, i) => textOf(i + 1, plan.sections));
  if (code === 0) violations.push(...checkDocument(readFileSync(path.join(folder, `${NAME}.md`), 'utf8'), texts));
  violations.push(...checkAsked(side.turns(), kills, said));
  const booked = bookedIn(folder);
  if (booked < side.paid())
    violations.push({ what: 'unbooked', why: `${side.paid()} turns were paid for, and ${booked} reserved` });
  for (const { pid } of await findSurvivors(marker))
    violations.push({ what: 'running', why: `process ${pid} still runs` });
  await endSurvivors(marker);
  await side.close();
  writeFileSync(path.join(root, 'seen.json'), JSON.stringify({ kills, said, seen: side.record() }, null, 1));
  const [asked, faults] = [side.turns().length, side.faults()];
  if (violations.length === 0) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  const accepted = said.filter(({ how }) => how === 'accept').length;
  return { plan, asked, faults, starts, killed, accepted, violations, root };
}

const STRUCK = { kill: 'dispatcher', term: 'dispatcher', guardian: 'guardian', both: 'both' } as const;

/** Resolves when the strike is due, or when no process remains to strike. */
async function comes({ after }: DistillStrike, running: Started, side: DistillSide): Promise<void> {
  if ('ask' in after) {
    const due = side.turns().length + after.ask;
    while (!running.over() && side.turns().length < due) await pause(5);
  }
  await Promise.race([pause(after.ms), running.ended]);
}

/** Reports the result of distilled rounds in words. */
export function distillTold(rounds: readonly DistillRound[], asked: number): string {
  const { sum, found, cut, bad } = tallyOf(rounds, asked);
  return [
    `${rounds.length} distilled rounds${cut}, ${bad} bad: ${found('twice')} accepted turns paid again, ${found('lost')} lost, ${found('order')} out of order, ${found('running')} left running, ${found('unreadable')} unreadable, ${found('unbooked')} unbooked, ${found('undone')} not brought to their end`,
    `${sum(({ plan }) => plan.sections)} sections, ${sum(({ asked }) => asked)} turns asked, ${sum(({ faults }) => faults)} injected failures, ${sum(({ starts }) => starts)} starts, ${sum(({ killed }) => killed)} killed, ${sum(({ accepted }) => accepted)} held answers accepted; ${rounds.filter(({ plan }) => plan.via !== null).length} rounds over a CLI`,
  ].join('\n');
}
