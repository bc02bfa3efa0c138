// What rounds with sessions found, in words.

import type { SessionRound } from './play.ts';

export function sessionsTold(rounds: readonly SessionRound[], asked: number, agents: 'fake' | 'real'): string {
  const sum = (count: (round: SessionRound) => number) => rounds.reduce((all, round) => all + count(round), 0);
  const found = (what: string) => sum(({ violations }) => violations.filter((one) => one.what === what).length);
  const cut = rounds.length < asked ? ` of ${asked} (the time was over)` : '';
  const bad = rounds.filter(({ violations }) => violations.length > 0).length;
  return [
    `${rounds.length} rounds with ${agents} agents${cut}, ${bad} bad: ${found('twice')} tools run twice, ${found('elsewhere')} in another tree, ${found('undone')} done without their tool`,
    `${sum(({ plan }) => plan.tasks.length)} tasks, ${sum(({ done }) => done)} done, ${sum(({ calls }) => calls)} ${agents === 'fake' ? 'calls' : 'requests'}, ${sum(({ killed }) => killed)} dispatchers killed`,
  ].join('\n');
}
