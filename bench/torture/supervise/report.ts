// What supervised rounds found, in words.

import type { SuperviseRound } from './play.ts';

export function superviseTold(rounds: readonly SuperviseRound[], asked: number): string {
  const sum = (count: (round: SuperviseRound) => number) => rounds.reduce((all, round) => all + count(round), 0);
  const found = (what: string) => sum(({ violations }) => violations.filter((one) => one.what === what).length);
  const cut = rounds.length < asked ? ` of ${asked} (the time was over)` : '';
  const bad = rounds.filter(({ violations }) => violations.length > 0).length;
  return [
    `${rounds.length} supervised rounds${cut}, ${bad} bad: ${found('twice')} calls paid twice, ${found('skipped')} skipped, ${found('changed')} instructions changed, ${found('undone')} not brought to their end`,
    `${sum(({ calls }) => calls)} calls, ${sum(({ killed }) => killed)} dispatchers killed`,
  ].join('\n');
}
