// Flags of a wrapper's command that its CLI alone understands: a table in its row, and what was given of it in the call.

import type { Denial } from '../policies/facts/requirements.ts';

export interface OwnFlag {
  takes: 'nothing' | 'choice' | 'text' | 'texts';
  about: string;
  /** Of one that takes a choice. */
  choices?: readonly string[];
}

/** What was given, by the flag's name; a flag that was not given is absent. */
export type OwnValues = Readonly<Record<string, true | string | readonly string[]>>;

/** The same, as its row reads it: checked against its table. */
export type OwnOf<Flags extends Readonly<Record<string, OwnFlag>>> = {
  readonly [Name in keyof Flags]?: Flags[Name] extends { takes: 'texts' }
    ? readonly string[]
    : Flags[Name] extends { choices: readonly (infer Choice)[] }
      ? Choice
      : Flags[Name] extends { takes: 'text' }
        ? string
        : true;
};

/** What the permission to commit is called. */
export const COMMIT = 'allow-commit';

/** Of all four. */
export const ALLOW_COMMIT = {
  [COMMIT]: { takes: 'nothing', about: 'let the agent commit with --access write: the git folders are writable' },
} as const satisfies Record<string, OwnFlag>;

interface Asked {
  own: OwnValues;
  access: string;
}

export const mayCommit = ({ own, access }: Asked): boolean => own[COMMIT] === true && access === 'write';

/** A call that changes nothing cannot commit. */
export const commitMistake = (isAllowed: boolean, access: string, allowed: string, needed: string): string | null =>
  isAllowed && access === 'read' ? `${allowed} has no effect with read access: add ${needed}` : null;

/** In the result of a tool git reports that it may not write its own folder; a command that goes on after that may end well. */
const STOPPED = /\.git\/[^\n]{0,4000}: (?:Read-only file system|Operation not permitted|Permission denied)$/m;

/** What the end of the tool has beside, by its whole output. */
export const stoppedCommit = (output: string | null): { denied?: true; rule?: typeof COMMIT } =>
  output !== null && STOPPED.test(output) ? { denied: true, rule: COMMIT } : {};

type CommitPermission = { flag: 'access'; value: 'write'; also: typeof COMMIT } | { flag: typeof COMMIT };

/** Of a CLI that our own flag lets commit; null where the call has all that we can give, undefined for any other denial. */
export function commitPermission({ rule }: Denial, { access, own }: Asked): CommitPermission | null | undefined {
  if (rule !== COMMIT) return undefined;
  if (access === 'read') return { flag: 'access', value: 'write', also: COMMIT };
  return access === 'write' && own[COMMIT] !== true ? { flag: COMMIT } : null;
}
