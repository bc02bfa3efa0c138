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
