// Counts the turns of a call as its events come.

/** A CLI that tells its requests tells its turns too; of the others a new one is whatever follows a tool's result. */
export function createTurns() {
  let turns = 0;
  let told = false;
  let results = false;
  return {
    began() {
      turns++;
      results = false;
    },
    areTold() {
      told = true;
    },
    acted(running: number) {
      if (told || !results || running > 0) return;
      turns++;
      results = false;
    },
    gotResult() {
      results = true;
    },
    count: () => (turns === 0 ? null : turns),
  };
}
