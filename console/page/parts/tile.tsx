// Shows a figure with its name; it can link to the items that it counts.

import type { ComponentChildren } from '../reactive.ts';

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
