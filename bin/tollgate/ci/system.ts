// Which CI system a command runs in, and how its log folds lines away and hears commands.

export type CiSystem = 'github' | 'gitlab' | 'other';

/** null where it runs in none, or is not to act as if. */
export function ciSystem(given: ReadonlySet<string>, environment: NodeJS.ProcessEnv): CiSystem | null {
  if (given.has('no-ci')) return null;
  if (environment.GITHUB_ACTIONS === 'true') return 'github';
  if (environment.GITLAB_CI) return 'gitlab';
  return given.has('ci') ? 'other' : null;
}

interface LogMarks {
  open(name: string, title: string, atSeconds: number): string;
  close(name: string, atSeconds: number): string;
  /** Text of others, without what would be taken for a command. stdout and stderr are read beside each other, so nothing is switched off around it. */
  unheard(text: string): string;
}

/** The service looks past what is not seen in front of the first, and for the second anywhere in a line. */
const COMMAND_LINE = /^([^\r\n\p{L}\p{N}\p{P}\p{S}]*):(?=:)/gmu;
const OLD_COMMAND = /##(?=\[)/g;

const ESCAPE = '\u001b[0K';

export const LOG_MARKS = {
  github: {
    open: (_, title) => `::group::${title}\n`,
    close: () => '::endgroup::\n',
    unheard: (text) => text.replace(COMMAND_LINE, '$1: ').replace(OLD_COMMAND, '## '),
  },
  gitlab: {
    open: (name, title, at) => `${ESCAPE}section_start:${at}:${name}[collapsed=true]\r${ESCAPE}${title}\n`,
    close: (name, at) => `${ESCAPE}section_end:${at}:${name}\r${ESCAPE}\n`,
    unheard: (text) => text,
  },
  other: { open: () => '', close: () => '', unheard: (text) => text },
} as const satisfies Record<CiSystem, LogMarks>;
