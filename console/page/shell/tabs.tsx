// Renders the parts of an item as links, each with its own address.

import { useEffect, useRef } from '../reactive.ts';
import { to } from './route.ts';
import { showCurrent } from './show-current.ts';

interface TabsProps {
  label: string;
  of: readonly { id: string; name: string }[];
  current: string;
  /** The address that the tabs belong to. */
  below: readonly string[];
}

export function Tabs({ label, of, current, below }: TabsProps) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(tabs.current), [current]);
  return (
    <nav ref={tabs} class="tabs" aria-label={label}>
      {of.map(({ id, name }, nth) => (
        <a
          key={id}
          href={nth === 0 ? to(...below) : to(...below, id)}
          aria-current={id === current ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}
