// Shows that there is nothing to show, and what the user can do to change that.

import type { ComponentChildren } from '../reactive.ts';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <b>{title}</b>
      {children}
    </div>
  );
}

/** Shown while something is loading. */
export function Coming({ what }: { what: string }) {
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
