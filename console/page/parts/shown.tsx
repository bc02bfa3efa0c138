// Shows a followed resource when it has arrived; until then, shows that it is loading, or why it failed.

import type { Following } from '../live/follow.ts';
import type { ComponentChildren } from '../reactive.ts';
import { Coming } from './empty.tsx';
import { AskedAgain, TroubleNotice } from './trouble-notice.tsx';

interface ShownProps<T> {
  of: Following<T>;
  /** The name of the resource, as in: Loading the tasks. */
  what: string;
  children: (value: T) => ComponentChildren;
}

export function Shown<T>({ of: { value, problem, againAt, renew }, what, children }: ShownProps<T>) {
  const wrong = problem.value;
  return (
    <>
      {wrong && (
        <TroubleNotice of={wrong}>
          {value.value !== null && <p class="dim">What is shown is {what} as it was before.</p>}
          <div class="buttons">
            <button type="button" class="button small" onClick={renew}>
              Ask again
            </button>
            <AskedAgain at={againAt.value} />
          </div>
        </TroubleNotice>
      )}
      {value.value === null ? wrong === null && <Coming what={what} /> : children(value.value)}
    </>
  );
}
