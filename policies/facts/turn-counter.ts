// Counts the turns of a call as its events arrive.

/**
 * A CLI that reports its requests also reports its turns. For the others, a turn begins with the first event after a tool's
 * result.
 */
export function createTurns() {
  let turns = 0;
  let isReported = false;
  let results = false;
  return {
    began() {
      turns++;
      results = false;
    },
    areTold() {
      isReported = true;
    },
    acted(running: number) {
      if (isReported || !results || running > 0) return;
      turns++;
      results = false;
    },
    gotResult() {
      results = true;
    },
    count: () => (turns === 0 ? null : turns),
  };
}
