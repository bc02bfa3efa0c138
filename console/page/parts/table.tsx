// Renders a table of a few rows with named columns, in a box that scrolls sideways in a narrow window.

import type { ComponentChildren } from '../reactive.ts';

interface TableProps {
  label: string;
  /** Columns of numbers are aligned right. */
  heads: readonly (string | { number: string })[];
  /** Rows. */
  children: ComponentChildren;
}

export function Table({ label, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this box scrolls a table
    <div role="group" class="table-box" tabIndex={0} aria-label={label}>
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
    </div>
  );
}
