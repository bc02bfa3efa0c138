// Names the variables that reach the tools of a CLI: in CI, some CLIs hide variables that they do not know from their tools.

import type { BuiltIn } from '../../policies/facts/tools.ts';

/** The prefix that a name needs to be passed on. */
const BEGINNING = { gemini: 'GEMINI_CLI_', copilot: '', codex: '', claude: '' } as const satisfies Record<
  BuiltIn,
  string
>;

/** All names of a variable, the plain name first. */
export const namesOf = (name: string): string[] => [
  ...new Set([name, ...Object.values(BEGINNING).map((beginning) => `${beginning}${name}`)]),
];

/** The variable under all of its names. */
export const passedAs = (name: string, value: string): Record<string, string> =>
  Object.fromEntries(namesOf(name).map((each) => [each, value]));

/** @returns undefined if the variable is set under none of its names. */
export const readPassed = (name: string, environment: NodeJS.ProcessEnv): string | undefined =>
  namesOf(name)
    .map((each) => environment[each])
    .find((value) => value !== undefined);
