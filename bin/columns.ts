// Aligns rows of words in columns, two spaces between them.

/** Each column is as wide as its longest word; no line ends in white space. */
export function columns(rows: readonly (readonly (string | number)[])[], indent = ''): string[] {
  const words = rows.map((row) => row.map(String));
  const widths: number[] = [];
  for (const row of words) for (const [i, word] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, word.length);
  return words.map((row) => (indent + row.map((word, i) => word.padEnd(widths[i]!)).join('  ')).trimEnd());
}
