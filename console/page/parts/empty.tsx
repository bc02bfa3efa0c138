// What stands where nothing is to be shown: that it is so, and how it would become otherwise.

import type { ComponentChildren } from '../reactive.ts';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <b>{title}</b>
      {children}
    </div>
  );
}

/** While something is on its way. */
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
