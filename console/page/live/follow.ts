// A thing of the server as it stands, followed while a view shows it: asked for anew whenever the server says that it changed.

import type { Topic } from '../../contract/page.ts';
import { type ReadonlySignal, useEffect, useSignal } from '../reactive.ts';
import { againBy } from './again.ts';
import { read, type Trouble } from './ask.ts';
import { onChange } from './stream.ts';

export interface Following<T> {
  /** null until it came; what came last stays while it is asked for anew. */
  value: ReadonlySignal<T | null>;
  /** Why it did not come the last time. */
  problem: ReadonlySignal<Trouble | null>;
  /** ISO time at which it is asked for by itself, after a trouble that passes. */
  againAt: ReadonlySignal<string | null>;
  renew: () => void;
}

/** @param concerns whether a change of that topic, and of that id, is one of this thing. */
export function useFollowing<T>(path: string, concerns: (topic: Topic, id: string | null) => boolean): Following<T> {
  const value = useSignal<T | null>(null);
  const problem = useSignal<Trouble | null>(null);
  const againAt = useSignal<string | null>(null);
  const wish = useSignal(0);
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
    const unwish = wish.subscribe((n) => {
      if (n > 0) void ask();
    });
    return () => {
      stop.abort();
      again.rest();
      unfollow();
      unwish();
    };
  }, [path]);
  return { value, problem, againAt, renew: () => (wish.value += 1) };
}
