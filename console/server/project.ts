// Declares what the console serves: a project, and the commands that change it.

import type { WantedRun } from '../../loops/report/carried-run.ts';
import type { foreseeTask } from '../../loops/run/forecast.ts';
import { actionLine, readActions } from '../../policies/facts/next-action.ts';
import type { FleetShown } from '../contract/overviews.ts';
import type { RefusedRequest } from '../contract/page.ts';

export interface ServedProject {
  /** The folder in which the commands run. */
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  version: string;
  commands: Commands;
  /** Tells the pages that something was refused after it was begun. */
  tellRefusal?: (refusal: RefusedRequest) => void;
  /** Whether the runs that are started here may use what the project configures. */
  trustWorkspace: boolean;
  /** The JSON Schema of manifests. */
  schemaFile: string;
  /** Forecasts a run of a task, as the manifest in the draft has it; writes nothing. */
  foresee(task: string, draft: string): ReturnType<typeof foreseeTask>;
  /** Reads the fleet; null without a database. */
  fleet: (() => Promise<FleetRead>) | null;
}

/** `lasts`: whether the same can be read later without a change by the user. */
type FleetRead =
  | { how: 'read'; fleet: FleetShown }
  | { how: 'failed'; message: string; lasts: 'a while' | 'until it changes' };

/** The commands of tollgate, by their words and flags. With `--json` each prints an object. */
interface Commands {
  /** Runs a command that only reads, in this process. */
  read(argv: readonly string[]): Promise<CommandResult>;
  /** Runs a command in a separate process, which continues when the console ends. */
  change(argv: readonly string[]): Promise<CommandResult>;
  /** Runs a command in a separate process, which ends with the request (`gone`) and with the console. */
  make(argv: readonly string[], gone: AbortSignal): Promise<CommandResult>;
  /**
   * Starts a paid run, which outlives the console, unless the same one is at work.
   * @param endedLater is called if it ends soon after the answer, such as after checks that take long.
   */
  begin(wanted: WantedRun, endedLater: (ended: CommandResult) => void): Promise<BegunRun>;
}

interface BegunRun {
  how: 'added' | 'found';
  /** How it ended, if it ends at once; null while it runs. */
  ended: CommandResult | null;
}

export interface CommandResult {
  exit: number;
  object: Record<string, unknown>;
}

/** The result of an admitted request. */
export type Reply =
  | { how: 'value'; value: object }
  | { how: 'file'; name: string; bytes: Buffer }
  | ({ how: 'refused'; status: number } & RefusedRequest);

export const answerWith = <T extends object>(value: T): Reply => ({ how: 'value', value });

export const refused = (
  status: 400 | 404 | 409 | 429 | 500 | 503,
  message: string,
  way_out: string | null = null,
): Reply => ({
  how: 'refused',
  ...{ status, message, way_out },
});

/** The refusal of a command in its own words, with the first of its ways out. */
export function refusedBy({ object }: CommandResult): Reply {
  const { message, says, next_actions: ways } = object;
  const words = [message, says].find((each) => typeof each === 'string') as string | undefined;
  const [way] = readActions(ways);
  return refused(409, words ?? 'the command failed without a message', way === undefined ? null : actionLine(way));
}
