// Counts what the rail shows beside the name of a view.

import { computed } from '../reactive.ts';
import { countStates } from '../tasks/choose-tasks.ts';
import { everyLine } from '../tasks/task-store.ts';
import { taskList } from './follow-tasks.ts';
import { linkState } from './link.ts';

export const counts = computed<Readonly<Record<string, { n: number; what: string }>>>(() => {
  const states = countStates(everyLine());
  const of = (state: string) => states.get(state) ?? 0;
  return {
    now: { n: of('running'), what: 'running' },
    failures: { n: of('failed') + of('refused'), what: 'failed' },
    supervise: { n: of('parked'), what: 'parked' },
  };
});

/** The counts are out of date: the list cannot be refreshed, or no changes arrive. */
export const areOld = computed(() => taskList.problem.value !== null || linkState.value.how !== 'live');
