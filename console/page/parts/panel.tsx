// Renders a panel with a heading.

import { type ComponentChildren, useId } from '../reactive.ts';

interface PanelProps {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  /** `flush` if the content has its own edges, such as a table. */
  edge?: 'padded' | 'flush';
}

export function Panel({ title, aside, children, edge = 'padded' }: PanelProps) {
  const heading = useId();
  return (
    <section class="panel" aria-labelledby={heading}>
      <div class="panel-head">
        <h2 id={heading}>{title}</h2>
        {aside}
      </div>
      <div class={edge === 'padded' ? 'panel-body' : ''}>{children}</div>
    </section>
  );
}
