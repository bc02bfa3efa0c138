// Which known name a mistyped one was meant to be.

/** The candidate that is the fewest edits away, or null when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: { name: string; edits: number } | null = null;
  for (const name of candidates) {
    const edits = editDistance(word, name);
    if (best === null || edits < best.edits) best = { name, edits };
  }
  return best !== null && best.edits <= Math.max(2, Math.ceil(word.length / 3)) ? best.name : null;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
