// The names under which a variable of ours reaches the tools of a CLI: some CLIs hide from them, in CI, what they do not know.

import type { BuiltIn } from '../../policies/facts/tools.ts';

/** What a name must begin with to be passed on. */
const BEGINNING = { gemini: 'GEMINI_CLI_', copilot: '', codex: '', claude: '' } as const satisfies Record<
  BuiltIn,
  string
>;

/** The plain name first. */
export const namesOf = (name: string): string[] => [
  ...new Set([name, ...Object.values(BEGINNING).map((beginning) => `${beginning}${name}`)]),
];

/** The variable under all of its names. */
export const passedAs = (name: string, value: string): Record<string, string> =>
  Object.fromEntries(namesOf(name).map((each) => [each, value]));

/** undefined where it is set under none. */
export const readPassed = (name: string, environment: NodeJS.ProcessEnv): string | undefined =>
  namesOf(name)
    .map((each) => environment[each])
    .find((value) => value !== undefined);
