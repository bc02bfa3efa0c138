// What is followed, once it is there; before that that it comes, and why not where it does not.

import type { Following } from '../live/follow.ts';
import type { ComponentChildren } from '../reactive.ts';
import { Words } from '../text/words.tsx';
import { Coming } from './empty.tsx';

interface ShownProps<T> {
  of: Following<T>;
  /** What it is, as in: Loading the tasks. */
  what: string;
  children: (value: T) => ComponentChildren;
}

export function Shown<T>({ of: { value, problem, renew }, what, children }: ShownProps<T>) {
  const wrong = problem.value;
  return (
    <>
      {wrong && (
        <div class="notice bad" role="alert">
          <b>
            <Words of={wrong.what} />
          </b>
          {wrong.wayOut && (
            <p class="soft">
              <Words of={wrong.wayOut} />
            </p>
          )}
          <div class="buttons">
            <button type="button" class="button small" onClick={renew}>
              Ask again
            </button>
          </div>
        </div>
      )}
      {value.value === null ? wrong === null && <Coming what={what} /> : children(value.value)}
    </>
  );
}
