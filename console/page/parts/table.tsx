// A table of a few rows: its columns by name, in a box that scrolls to its side where the window is narrow.

import type { ComponentChildren } from '../reactive.ts';

interface TableProps {
  label: string;
  /** Those of numbers stand to the right. */
  heads: readonly (string | { number: string })[];
  /** Rows. */
  children: ComponentChildren;
}

export function Table({ label, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) =>
              typeof head === 'string' ? (
                <th key={head} scope="col">
                  {head}
                </th>
              ) : (
                <th key={head.number} scope="col" class="number">
                  {head.number}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
