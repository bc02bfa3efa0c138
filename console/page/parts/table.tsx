// Renders a table of a few rows with named columns; in a narrow window each row is a card with named values.

import { type ComponentChildren, useLayoutEffect, useRef } from '../reactive.ts';

interface TableProps {
  label: string;
  /** Columns of numbers are aligned right. */
  heads: readonly (string | { number: string })[];
  /** Rows. */
  children: ComponentChildren;
}

export function Table({ label, heads, children }: TableProps) {
  const table = useRef<HTMLTableElement>(null);
  // A card shows the heading of the column beside each value.
  useLayoutEffect(() => {
    for (const cell of table.current!.querySelectorAll('td')) {
      const head = heads[cell.cellIndex];
      cell.setAttribute('data-head', typeof head === 'object' ? head.number : (head ?? ''));
    }
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this box scrolls a table
    <div role="group" class="table-box" tabIndex={0} aria-label={label}>
      <table ref={table}>
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
