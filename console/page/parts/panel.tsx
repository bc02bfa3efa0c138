// Renders a panel with a heading, a tile with a figure, and a bar that shows how much of a limit is used.

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

/** Shows a figure with its name; it can link to the items that it counts. */
interface TileProps {
  name: string;
  figure: ComponentChildren;
  /** The address of the list of the counted items. */
  leads?: string;
  tone?: 'good' | 'bad' | 'wait' | 'busy' | 'calm';
}

export function Tile({ name, figure, leads, tone = 'calm' }: TileProps) {
  const within = (
    <>
      <span class="name">{name}</span>
      <span class={`figure ${tone}`}>{figure}</span>
    </>
  );
  return leads === undefined ? (
    <div class="tile">{within}</div>
  ) : (
    <a class="tile" href={leads}>
      {within}
    </a>
  );
}

/** Named values in a line. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts-line">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

interface MeterProps {
  used: number;
  of: number;
  /** Whether more was used than is known: a hatched end shows that. */
  hasUnknown?: boolean;
}

/** The width of the hatched end, in percent. */
const UNKNOWN = 8;

/** Shows as a bar how much of a limit is used; the figures are beside it in words. */
export function Meter({ used, of, hasUnknown = false }: MeterProps) {
  const share = of <= 0 ? 1 : Math.min(1, used / of);
  const hatch = useId();
  return (
    <svg
      class={`meter ${share >= 1 ? 'full' : share >= 0.8 ? 'near' : ''}`}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect width={share * 100} height="6" rx="1" />
      {hasUnknown && share < 1 && (
        <>
          <pattern id={hatch} width="1" height="6" patternUnits="userSpaceOnUse">
            <rect width="0.5" height="6" />
          </pattern>
          <rect class="unknown" fill={`url(#${hatch})`} x={share * 100} width={UNKNOWN} height="6" />
        </>
      )}
    </svg>
  );
}
