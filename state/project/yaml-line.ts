// On which line of a YAML file a field stands.

import type { Document, LineCounter } from 'yaml';

/** From 1; of the nearest field above it where it does not stand in the file. */
export function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
