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
