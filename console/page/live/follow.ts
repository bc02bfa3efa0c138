// Follows a resource of the server while a view shows it: requests it again whenever the server reports a change.

import type { Topic } from '../../contract/page.ts';
import { type ReadonlySignal, useEffect, useSignal } from '../reactive.ts';
import { againBy, read, type Trouble } from './requests.ts';
import { onChange } from './stream.ts';

export interface Following<T> {
  /** null until the first answer; during a new request it keeps the last value. */
  value: ReadonlySignal<T | null>;
  /** Why the last request failed. */
  problem: ReadonlySignal<Trouble | null>;
  /** ISO time of the next automatic request, after a temporary failure. */
  againAt: ReadonlySignal<string | null>;
  renew: () => void;
}

/** @param concerns whether a change with that topic and id affects this resource. */
export function useFollowing<T>(path: string, concerns: (topic: Topic, id: string | null) => boolean): Following<T> {
  const value = useSignal<T | null>(null);
  const problem = useSignal<Trouble | null>(null);
  const againAt = useSignal<string | null>(null);
  const requests = useSignal(0);
  useEffect(() => {
    const stop = new AbortController();
    let isAsking = false;
    let isStale = false;
    const ask = async () => {
      if (isAsking) {
        isStale = true;
        return;
      }
      isAsking = true;
      const answered = await read<T>(path, stop.signal);
      isAsking = false;
      if (stop.signal.aborted) return;
      problem.value = answered.how === 'failed' ? answered.problem : null;
      if (answered.how === 'failed' && answered.problem.lasts === 'a while') again.later();
      else again.rest();
      if (answered.how === 'ok') value.value = answered.value;
      if (isStale) {
        isStale = false;
        void ask();
      }
    };
    const again = againBy(() => void ask(), againAt);
    value.value = null;
    problem.value = null;
    void ask();
    const unfollow = onChange((topic, id) => {
      if (concerns(topic, id)) void ask();
    });
    const unsubscribe = requests.subscribe((n) => {
      if (n > 0) void ask();
    });
    return () => {
      stop.abort();
      again.rest();
      unfollow();
      unsubscribe();
    };
  }, [path]);
  return { value, problem, againAt, renew: () => (requests.value += 1) };
}
