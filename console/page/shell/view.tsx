// Renders one view: heading with actions, tabs, content; the heading gets the focus when the user opens the view.

import { Facts } from '../parts/panel.tsx';
import { type ComponentChildren, signal, useEffect, useRef } from '../reactive.ts';
import { to } from './route.ts';

export function View({
  title,
  beside,
  about,
  aside,
  crumbs,
  facts,
  children,
}: {
  title: ComponentChildren;
  /** Its state. */
  beside?: ComponentChildren;
  about?: ComponentChildren;
  /** Its actions. */
  aside?: ComponentChildren;
  crumbs?: ComponentChildren;
  facts?: readonly (readonly [name: string, value: ComponentChildren])[] | undefined;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Not for the first view, since the user has not moved, nor while the user types.
    if (cameFromElsewhere.peek() && !document.activeElement?.matches('input, textarea')) heading.current?.focus();
    cameFromElsewhere.value = true;
  }, []);
  return (
    <>
      <header class="view-head">
        {crumbs && <div class="crumbs">{crumbs}</div>}
        <div class="title-line">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {beside}
        </div>
        {about && <p>{about}</p>}
        {facts && <Facts of={facts} />}
        {aside && <div class="buttons">{aside}</div>}
      </header>
      {children}
    </>
  );
}

/** Whether a view was shown before this one. */
const cameFromElsewhere = signal(false);

/** Scrolls the current link into sight in a narrow window, where the list of links is wider than the window. */
const BESIDE_PX = 40;

function showCurrent(within: HTMLElement | null): void {
  const at = within?.querySelector<HTMLElement>('[aria-current]');
  if (within && at) within.scrollLeft = at.offsetLeft - BESIDE_PX;
}

/** Renders the parts of an item as links, each with its own address. */
interface TabsProps {
  label: string;
  of: readonly { id: string; name: string; count?: number | undefined }[];
  current: string;
  /** The address that the tabs belong to. */
  below: readonly string[];
}

export function Tabs({ label, of, current, below }: TabsProps) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(tabs.current), [current]);
  return (
    <nav ref={tabs} class="tabs" aria-label={label}>
      {of.map(({ id, name, count }, nth) => (
        <a
          key={id}
          href={nth === 0 ? to(...below) : to(...below, id)}
          aria-current={id === current ? 'page' : undefined}
        >
          {name}
          {count !== undefined && <span class="dim"> {count}</span>}
        </a>
      ))}
    </nav>
  );
}
