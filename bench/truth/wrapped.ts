// Breaks lines where words find no room, as terminals, boxes and pagers do.

/** Words that find no room go to the next line, as a terminal's own wrapping does it. */
export function wrapped(line: string, width: number, hanging = ''): string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const first = rest.search(/\S/);
    const within = rest.lastIndexOf(' ', width);
    // A word that is too long stands alone.
    const space = within > first ? within : rest.indexOf(' ', Math.max(first, width));
    if (space === -1) break;
    lines.push(rest.slice(0, space));
    rest = hanging + rest.slice(space + 1);
  }
  return [...lines, rest];
}
