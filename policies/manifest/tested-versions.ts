// Lists the versions of the CLIs that the toolkit was tested with, and what other versions mean.

import type { BuiltIn } from '../facts/tools.ts';

interface VersionRow {
  /** The versions of `npm run bench:matrix -- --versions`, oldest first. The test suite runs with the last. */
  tested: readonly string[];
  /** The range is `from` up to, but not including, `below`. */
  from: string;
  below: string;
  /** How to install the last tested version. */
  install: string;
}

/**
 * A range covers the versions with which the real CLIs were run. It also covers later releases that promise no new features.
 * gemini and codex raise the minor number for new features; copilot and claude raise the patch number for everything.
 */
export const TESTED_VERSIONS = {
  gemini: {
    tested: ['0.45.2', '0.52.0', '0.55.1', '0.58.0', '0.61.0'],
    from: '0.45.2',
    below: '0.62.0',
    install: 'npm install -g @google/gemini-cli@0.61.0',
  },
  copilot: {
    tested: ['1.0.75', '1.0.82', '1.0.89', '1.0.102'],
    from: '1.0.75',
    below: '1.1.0',
    install: 'npm install -g @github/copilot@1.0.102',
  },
  codex: {
    tested: ['0.137.0', '0.144.6', '0.150.1', '0.159.3', '0.169.0', '0.171.0'],
    from: '0.137.0',
    below: '0.172.0',
    install: 'npm install -g @openai/codex@0.171.0',
  },
  claude: {
    tested: ['2.1.100', '2.1.197', '2.1.330', '2.1.332'],
    from: '2.1.100',
    below: '2.2.0',
    install: 'npm install -g @anthropic-ai/claude-code@2.1.332',
  },
} as const satisfies Record<BuiltIn, VersionRow>;

export const TESTED_NODE = { from: '20.19.0' } as const;

type VersionVerdict = 'tested' | 'older' | 'newer';

export function judgeVersion(tool: BuiltIn, version: string): VersionVerdict {
  const { from, below } = TESTED_VERSIONS[tool];
  if (compareVersions(version, from) < 0) return 'older';
  return compareVersions(version, below) < 0 ? 'tested' : 'newer';
}

/** Compares only major, minor and patch numbers: a nightly of 0.62.0 has the code of 0.62, so it counts as that. */
export function compareVersions(a: string, b: string): number {
  const [numbersA, numbersB] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < 3; i++) {
    const difference = numbersA[i]! - numbersB[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(version);
  return [1, 2, 3].map((group) => Number(found?.[group] ?? 0));
}
