// Describes the flags of a wrapper's command that only its CLI understands: a table in its row, and the values given in the call.

import type { Denial } from '../policies/facts/requirements.ts';

export interface OwnFlag {
  takes: 'nothing' | 'choice' | 'text' | 'texts';
  about: string;
  /** Only for a flag that takes a choice. */
  choices?: readonly string[];
}

/** The given values, by flag name; a flag that was not given is absent. */
export type OwnValues = Readonly<Record<string, true | string | readonly string[]>>;

/** The same values, as the CLI's row reads them: checked against its table. */
export type OwnOf<Flags extends Readonly<Record<string, OwnFlag>>> = {
  readonly [Name in keyof Flags]?: Flags[Name] extends { takes: 'texts' }
    ? readonly string[]
    : Flags[Name] extends { choices: readonly (infer Choice)[] }
      ? Choice
      : Flags[Name] extends { takes: 'text' }
        ? string
        : true;
};

/** The name of the permission to commit. */
export const COMMIT = 'allow-commit';

/** The rows of all four built-in CLIs have this flag. */
export const ALLOW_COMMIT = {
  [COMMIT]: {
    takes: 'nothing',
    about: 'with --access write: make the git folders writable, so that the agent can commit',
  },
} as const satisfies Record<string, OwnFlag>;

interface CallAccess {
  own: OwnValues;
  access: string;
}

export const mayCommit = ({ own, access }: CallAccess): boolean => own[COMMIT] === true && access === 'write';

/** A call that changes nothing cannot commit. */
export const commitMistake = (isAllowed: boolean, access: string, allowed: string, needed: string): string | null =>
  isAllowed && access === 'read' ? `${allowed} has no effect with read access: add ${needed}` : null;

/** git's report, in a tool's result, that it may not write its own folder. A later command may still succeed. */
const STOPPED = /\.git\/[^\n]{0,4000}: (?:Read-only file system|Operation not permitted|Permission denied)$/m;

/** Returns the fields to add to the event of the tool's end, according to the tool's whole output. */
export const stoppedCommit = (output: string | null): { denied?: true; rule?: typeof COMMIT } =>
  output !== null && STOPPED.test(output) ? { denied: true, rule: COMMIT } : {};

type CommitPermission = { flag: 'access'; value: 'write'; also: typeof COMMIT } | { flag: typeof COMMIT };

/** For a CLI that our flag lets commit; null if the call has all we can allow, undefined for other denials. */
export function commitPermission({ rule }: Denial, { access, own }: CallAccess): CommitPermission | null | undefined {
  if (rule !== COMMIT) return undefined;
  if (access === 'read') return { flag: 'access', value: 'write', also: COMMIT };
  return access === 'write' && own[COMMIT] !== true ? { flag: COMMIT } : null;
}
