// What distilled rounds found, in words.

import type { DistillRound } from './play.ts';

export function distillTold(rounds: readonly DistillRound[], asked: number): string {
  const sum = (count: (round: DistillRound) => number) => rounds.reduce((all, round) => all + count(round), 0);
  const found = (...what: string[]) =>
    sum(({ violations }) => violations.filter((one) => what.includes(one.what)).length);
  const cut = rounds.length < asked ? ` of ${asked} (the time was over)` : '';
  const bad = rounds.filter(({ violations }) => violations.length > 0).length;
  return [
    `${rounds.length} distilled rounds${cut}, ${bad} bad: ${found('twice')} accepted turns paid again, ${found('lost')} lost, ${found('order')} out of order, ${found('running')} left running, ${found('unreadable')} unreadable, ${found('unbooked')} unbooked, ${found('undone')} not brought to their end`,
    `${sum(({ plan }) => plan.sections)} sections, ${sum(({ asked }) => asked)} turns asked, ${sum(({ faults }) => faults)} injected failures, ${sum(({ starts }) => starts)} starts, ${sum(({ killed }) => killed)} killed, ${sum(({ accepted }) => accepted)} held answers accepted; ${rounds.filter(({ plan }) => plan.via !== null).length} rounds over a CLI`,
  ].join('\n');
}
