// Detects the CI system, and defines how its log collapses lines and recognises commands.

export type CiSystem = 'github' | 'gitlab' | 'other';

/** @returns null outside of CI, or if the command must not act as in CI. */
export function ciSystem(given: ReadonlySet<string>, environment: NodeJS.ProcessEnv): CiSystem | null {
  if (given.has('no-ci')) return null;
  if (environment.GITHUB_ACTIONS === 'true') return 'github';
  if (environment.GITLAB_CI) return 'gitlab';
  return given.has('ci') ? 'other' : null;
}

interface LogMarks {
  open(name: string, title: string, atSeconds: number): string;
  close(name: string, atSeconds: number): string;
  /**
   * Returns text of others without anything that would be read as a command. The service reads stdout and stderr in parallel, so
   * commands cannot be switched off around the text.
   */
  neutralise(text: string): string;
}

/** The service skips invisible characters before `::`, and finds `##[` anywhere in a line. */
const COMMAND_LINE = /^([^\r\n\p{L}\p{N}\p{P}\p{S}]*):(?=:)/gmu;
const OLD_COMMAND = /##(?=\[)/g;

const ESCAPE = '\u001b[0K';

export const LOG_MARKS = {
  github: {
    open: (_, title) => `::group::${title}\n`,
    close: () => '::endgroup::\n',
    neutralise: (text) => text.replace(COMMAND_LINE, '$1: ').replace(OLD_COMMAND, '## '),
  },
  gitlab: {
    open: (name, title, at) => `${ESCAPE}section_start:${at}:${name}[collapsed=true]\r${ESCAPE}${title}\n`,
    close: (name, at) => `${ESCAPE}section_end:${at}:${name}\r${ESCAPE}\n`,
    neutralise: (text) => text,
  },
  other: { open: () => '', close: () => '', neutralise: (text) => text },
} as const satisfies Record<CiSystem, LogMarks>;
