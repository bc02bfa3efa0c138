// Renders tables: of a few rows, as cards in a narrow window, and of any length with only the visible rows.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { type ComponentChildren, useEffect, useLayoutEffect, useRef, useSignal } from '../reactive.ts';

interface VirtualTableProps {
  label: string;
  keys: readonly string[];
  /** In pixels; rows of another height are measured. */
  rowHeight: number;
  /** The cells of a row: elements of the role `cell`. */
  row: (key: string, index: number) => ComponentChildren;
  /** The cells of the heading: elements of the role `columnheader`. */
  head: ComponentChildren;
  /** The class that lays out the columns. */
  columns: string;
  /** A key that was pressed in a row. @returns whether it was handled. */
  onRowKey?: (key: string, row: string) => boolean;
  /** A row to scroll to; each new value scrolls again. */
  show?: { index: number } | null;
}

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

export function VirtualTable({ label, keys, rowHeight, row, head, columns, onRowKey, show = null }: VirtualTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const version = useSignal(0);
  const virtual = useRef<List | null>(null);
  const options = {
    count: keys.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index: number) => keys[index] ?? index,
    overscan: 6,
    initialRect: { width: 0, height: 640 },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => {
      version.value += 1;
    },
  };
  virtual.current ??= new Virtualizer(options);
  virtual.current.setOptions(options);
  useEffect(() => virtual.current!._didMount(), []);
  useLayoutEffect(() => virtual.current!._willUpdate());
  useEffect(() => {
    if (show !== null) virtual.current!.scrollToIndex(show.index, { align: 'start' });
  }, [show]);
  // The value is read, so that the table is drawn again when it is scrolled.
  void version.value;
  const list = virtual.current;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a table element cannot be positioned freely
    <div
      ref={box}
      class="rows"
      role="table"
      aria-label={label}
      aria-rowcount={keys.length + 1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
      tabIndex={0}
      onKeyDown={(event) => {
        const index = rowAt(event);
        const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (isPlain && index >= 0 && onRowKey?.(event.key, keys[index]!) === true) event.stopPropagation();
        else moveBy(event, list, keys.length);
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" class="rows-top">
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the row is only read */}
        <div role="row" aria-rowindex={1} class={`rows-head ${columns}`}>
          {head}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div class="rows-all" role="rowgroup" ref={(at) => setHeight(at, list.getTotalSize())}>
        {list.getVirtualItems().map((item) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the row is only read
          <div
            key={item.key}
            class={`row-at row ${columns}`}
            role="row"
            aria-rowindex={item.index + 2}
            data-index={item.index}
            ref={(at) => place(at, item.start, list)}
          >
            {row(keys[item.index]!, item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}

export function Cell({ children, as = '' }: { children?: ComponentChildren; as?: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    <div role="cell" class={as}>
      {children}
    </div>
  );
}

/** Set from the script, since the page's policy allows no inline style in the markup. */
function setHeight(at: HTMLElement | null, height: number): void {
  if (at !== null) at.style.height = `${height}px`;
}

function place(at: HTMLDivElement | null, start: number, list: List): void {
  if (at === null) return;
  at.style.transform = `translateY(${start}px)`;
  list.measureElement(at);
}

/** The index of the row that has the focus; -1 if none has it. */
const rowAt = ({ target }: KeyboardEvent): number =>
  Number((target as HTMLElement).closest<HTMLElement>('.row-at')?.dataset.index ?? -1);

/** Moves from row to row, by the focusable element in each. */
function moveBy(event: KeyboardEvent, list: List, length: number): void {
  const box = event.currentTarget as HTMLElement;
  const from = rowAt(event);
  const steps: Record<string, number> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    Home: 0,
    End: length - 1,
    PageDown: from + 12,
    PageUp: from - 12,
  };
  const to = steps[event.key];
  if (to === undefined || length === 0) return;
  event.preventDefault();
  const index = Math.max(0, Math.min(length - 1, to));
  list.scrollToIndex(index, { align: 'auto' });
  const target = () => box.querySelector<HTMLElement>(`.row-at[data-index="${index}"] :is(a, button)`);
  const present = target();
  // The next key may come before the next frame, so a row that is drawn gets the focus at once.
  if (present !== null) present.focus({ preventScroll: true });
  else requestAnimationFrame(() => requestAnimationFrame(() => target()?.focus({ preventScroll: true })));
}

interface TableProps {
  label: string;
  /** Columns of numbers are aligned right. */
  heads: readonly (string | { number: string })[];
  /** Rows. */
  children: ComponentChildren;
}

/** Of a few rows with named columns; in a narrow window each row is a card with named values. */
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
