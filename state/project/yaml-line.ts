// Finds the line of a field in a YAML file.

import type { Document, LineCounter } from 'yaml';

/** From 1; the line of the nearest field above it if the field is missing. */
export function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
