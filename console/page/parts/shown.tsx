// Shows a followed resource when it has arrived; until then, that it is loading; or that it is empty, or why it failed.

import type { Following } from '../live/follow.ts';
import type { Trouble } from '../live/requests.ts';
import type { ComponentChildren } from '../reactive.ts';
import { Words } from '../text/words.tsx';
import { Countdown } from './times.tsx';

interface ShownProps<T> {
  of: Following<T>;
  /** The name of the resource, as in: Loading the tasks. */
  what: string;
  /** Where the user finds those that exist. */
  list?: { name: string; address: string };
  children: (value: T) => ComponentChildren;
}

export function Shown<T>({ of: { value, problem, againAt, renew }, what, list, children }: ShownProps<T>) {
  const wrong = problem.value;
  if (wrong?.isMissing && value.value === null && list !== undefined) {
    const [missing = '', why] = wrong.what.split('; ', 2);
    return (
      <div class="panel" role="alert">
        <Empty title={asSentence(missing)}>
          {why !== undefined && <p>{asSentence(why)}.</p>}
          <div class="buttons">
            <a class="button main" href={list.address}>
              {list.name}
            </a>
          </div>
        </Empty>
      </div>
    );
  }
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

/** Shows that there is nothing to show, and what the user can do to change that. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <b>{title}</b>
      {children}
    </div>
  );
}

/** Shown while something is loading. */
function Coming({ what }: { what: string }) {
  return (
    <div class="skeletons">
      <span class="unseen" role="status">
        Loading {what}
      </span>
      <div class="skeleton" />
      <div class="skeleton" />
      <div class="skeleton" />
    </div>
  );
}

export type ShownTrouble = Pick<Trouble, 'what' | 'wayOut'>;

interface TroubleNoticeProps {
  of: ShownTrouble;
  children?: ComponentChildren;
}

/** Shows a problem and its way out, and announces both to screen readers; the actions are below. */
export function TroubleNotice({ of: { what, wayOut }, children }: TroubleNoticeProps) {
  return (
    <div class="notice bad">
      <div role="alert">
        <b>
          <Words of={asSentence(what)} />
        </b>
        {wayOut && (
          <p class="soft">
            <Words of={asSentence(wayOut)} />
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

interface SignInNoticeProps {
  /** Whose sign-in lacks. */
  title: string;
  /** Whether it is the next step of the page. */
  isMain?: boolean;
  /** What that means here. */
  children: ComponentChildren;
}

/** Above what would pay for calls without a sign-in. */
export const SignInNotice = ({ title, isMain = false, children }: SignInNoticeProps) => (
  <p class="notice wait sign-in">
    <span>
      <b>
        <Words of={title} />
      </b>{' '}
      <span class="soft">{children}</span>
    </span>
    <a class={`button ${isMain ? 'main' : ''}`} href="#/machine">
      <span>How to sign in</span>
    </a>
  </p>
);

export const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Shown beside the button that repeats the request at once; not read aloud each second. */
export function AskedAgain({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <span class="dim">
      Retried automatically in <Countdown to={at} />.
    </span>
  );
}
