// What limited rounds found, in words.

import type { LimitsRound } from './play.ts';

export function limitsTold(rounds: readonly LimitsRound[], asked: number): string {
  const sum = (of: readonly LimitsRound[], count: (round: LimitsRound) => number) =>
    of.reduce((all, round) => all + count(round), 0);
  const found = (...what: string[]) =>
    sum(rounds, ({ violations }) => violations.filter((one) => what.includes(one.what)).length);
  const cut = rounds.length < asked ? ` of ${asked} (the time was over)` : '';
  const bad = rounds.filter(({ violations }) => violations.length > 0).length;
  const budget = rounds.filter(({ plan }) => plan.kind === 'budget');
  const atOnce = rounds.filter(({ plan }) => plan.kind === 'at_once');
  const whole = budget.filter(({ plan }) => plan.kind === 'budget' && plan.before === 0).length;
  const most = Math.max(0, ...atOnce.map((round) => round.atOnce));
  return [
    `${rounds.length} limited rounds${cut}, ${bad} bad: ${found('over')} past a limit, ${found('loosened')} limits loosened by agents (${sum(rounds, ({ refused }) => refused)} tries refused), ${found('crowded')} with too many at once, ${found('twice')} calls twice, ${found('books', 'unspent')} whose books are wrong, ${found('running')} left running, ${found('unwell')} unwell`,
    `${budget.length} rounds of 100 calls a day (${whole} from its first call): ${sum(budget, ({ askers }) => askers)} processes asked, 64 at once, ${sum(budget, ({ paid }) => paid)} calls were paid, ${sum(budget, ({ killed }) => killed)} processes killed, with ${sum(budget, ({ lost }) => lost)} calls granted and not made`,
    `${atOnce.length} rounds of 3 at once: ${sum(atOnce, ({ paid }) => paid)} calls of 64 processes each, ${most} at once at the most`,
  ].join('\n');
}
