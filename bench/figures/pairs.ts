// Measures several sides in turns, so that what else the machine does falls on all of them alike.

export interface Times {
  median: number;
  min: number;
}

/**
 * @param sides each measures itself once and gives what it took.
 * @returns of each side; the first round warms what is cached, and does not count.
 */
export async function inTurns<Side extends string>(
  rounds: number,
  sides: Record<Side, (round: number) => number | Promise<number>>,
): Promise<Record<Side, Times>> {
  const names = Object.keys(sides) as Side[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    // Who goes first changes from round to round.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const value = await sides[name](round);
      if (round > 0) taken[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, timesOf(taken[name])])) as Record<Side, Times>;
}

export function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  // Of an even number the mean of the middle two: of two rounds it is not the worse one.
  return { median: (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2, min: sorted[0]! };
}
