// Flags of a wrapper's command that its CLI alone understands: a table in its row, and what was given of it in the call.

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

/** Of all four. */
export const ALLOW_COMMIT = {
  'allow-commit': { takes: 'nothing', about: 'let the agent commit with --access write: the git folders are writable' },
} as const satisfies Record<string, OwnFlag>;

interface Asked {
  own: OwnValues;
  access: string;
}

export const mayCommit = ({ own, access }: Asked): boolean => own['allow-commit'] === true && access === 'write';

/** A call that changes nothing cannot commit. */
export const commitMistake = (isAllowed: boolean, access: string, allowed: string, needed: string): string | null =>
  isAllowed && access === 'read' ? `${allowed} has no effect with read access: add ${needed}` : null;
