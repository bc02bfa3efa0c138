// Finds the known name that a mistyped one most likely means, by similarity; none if none is similar.

/**
 * Returns the candidate with the fewest slips, the first of several; otherwise the shortest that begins with the word. Case and
 * leading dashes do not count. null if none is near: a third of the letters may be wrong, and one always.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const typed = lettersOf(word);
  if (typed === '') return null;
  let best: { name: string; slips: number } | null = null;
  for (const name of candidates) {
    const slips = slipsBetween(typed, lettersOf(name));
    if (slips > allowed(typed, lettersOf(name))) continue;
    // Of `help` and `--help`, prefers the one with the dashes that were typed.
    const exactly = slips + slipsBetween(word, name) / (word.length + name.length + 1);
    if (best === null || exactly < best.slips) best = { name, slips: exactly };
  }
  return best?.name ?? begunBy(typed, candidates);
}

const lettersOf = (name: string): string => name.replace(/^-+/, '').toLowerCase();

/** Two words of one letter cannot be similar if they differ. */
function allowed(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  return Math.min(a.length, b.length) < 2 ? 0 : Math.max(1, Math.floor(longer / 3));
}

const LEAST_BEGINNING = 3;

function begunBy(typed: string, candidates: readonly string[]): string | null {
  if (typed.length < LEAST_BEGINNING) return null;
  const begun = candidates.filter((name) => lettersOf(name).startsWith(typed));
  return begun.sort((a, b) => a.length - b.length)[0] ?? null;
}

/** Counts letters that are missing, added, replaced or exchanged with the next one (optimal string alignment). */
function slipsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
