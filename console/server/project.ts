// What the console serves: a project, and the commands by which it is changed.

import type { WantedRun } from '../../loops/carried/begin.ts';
import { actionLine, readActions } from '../../policies/facts/next-action.ts';
import type { RefusedRequest } from '../contract/page.ts';

export interface ServedProject {
  /** In which the commands work. */
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  /** Of tollgate. */
  version: string;
  commands: Commands;
  /** Whether the runs that are begun here may use what the project configures. */
  trustWorkspace: boolean;
}

/** The commands of tollgate, by their words and flags: with `--json` each tells an object. */
export interface Commands {
  /** One that only reads, in this very process. */
  read(argv: readonly string[]): Promise<CommandTold>;
  /** In a process of its own, which continues when the console ends. */
  change(argv: readonly string[]): Promise<CommandTold>;
  /** In a process of its own, which ends with the request (`gone`) and with the console. */
  make(argv: readonly string[], gone: AbortSignal): Promise<CommandTold>;
  /** What is paid for: it outlives the console. Answers how it ended where that comes at once; null while it runs. */
  begin(wanted: WantedRun): Promise<CommandTold | null>;
}

export interface CommandTold {
  exit: number;
  object: Record<string, unknown>;
}

/** What becomes of a request that came through. */
export type Reply =
  | { how: 'told'; value: object }
  | { how: 'file'; name: string; bytes: Buffer }
  | ({ how: 'refused'; status: number } & RefusedRequest);

export const told = <T extends object>(value: T): Reply => ({ how: 'told', value });

export const refused = (
  status: 400 | 404 | 409 | 429 | 500 | 503,
  message: string,
  way_out: string | null = null,
): Reply => ({
  how: 'refused',
  ...{ status, message, way_out },
});

/** What a command refused, in its own words, with the first of its ways out. */
export function refusedBy({ object }: CommandTold): Reply {
  const { message, says, next_actions: ways } = object;
  const words = [message, says].find((each) => typeof each === 'string') as string | undefined;
  const [way] = readActions(ways);
  return refused(
    409,
    words ?? 'the command did not do it, and did not say why',
    way === undefined ? null : actionLine(way),
  );
}
