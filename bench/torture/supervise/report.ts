// What supervised rounds found, in words.

import type { SuperviseRound } from './play.ts';

export function superviseTold(rounds: readonly SuperviseRound[], asked: number): string {
  const sum = (count: (round: SuperviseRound) => number) => rounds.reduce((all, round) => all + count(round), 0);
  const found = (what: string) => sum(({ violations }) => violations.filter((one) => one.what === what).length);
  const cut = rounds.length < asked ? ` of ${asked} (the time was over)` : '';
  const bad = rounds.filter(({ violations }) => violations.length > 0).length;
  const said = (how: string) => sum(({ calls }) => calls.filter((call) => call.said?.how === how).length);
  const hits = rounds.flatMap(({ struck }) => struck);
  const byTarget = [...new Set(hits)].sort().map((one) => `${hits.filter((hit) => hit === one).length} ${one}`);
  return [
    `${rounds.length} supervised rounds${cut}, ${bad} bad: ${found('course')} off the document's table (paid twice, skipped, or told something else), ${found('twice')} answers that counted for nothing, ${found('undone')} not brought to their end`,
    `${sum(({ calls }) => calls.length)} calls in ${sum(({ starts }) => starts)} runs; killed: ${byTarget.join(', ') || 'nothing'}`,
    `the reasoner: ${said('fails')} failed, ${said('garbage')} without an answer, ${said('continue')} instructions, ${said('no_op')} no_op, ${said('refused')} done not believed, ${said('ask')} questions, ${said('save_session')} saved; ${sum(({ notes }) => notes)} notes of people`,
  ].join('\n');
}
