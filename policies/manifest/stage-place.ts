// Where a field of a stage is set in the manifest: in the stage's own lines, or in an entry beside the pipeline that it comes from.

export interface StagePlace {
  /** `<file>:<line>`: the field's own, or of what would hold it. */
  at: string;
  /** null for a stage that the manifest lists; else what it does not list yet. */
  unlisted: Unlisted | null;
}

/** A stage that comes from a named pipeline alone. */
interface Unlisted {
  file: string;
  /** `<file>:<line>` of the manifest's own list of stages; null where it has none. */
  list: string | null;
  /** The fields by which the entry finds its stage, as YAML: `tool: gemini, role: review`. */
  fields: string;
}

/** The place in words; for an unlisted stage the text to write, which refines the pipeline's own. A value that only the user knows is left to the user. */
export function placeWords({ at, unlisted }: StagePlace, field: StageField): string {
  if (unlisted === null) return at;
  const value = VALUES[field];
  const entry = `{${unlisted.fields}${value === null ? '' : `, ${field}: ${value}`}}`;
  const added =
    unlisted.list === null
      ? `add \`stages: [${entry}]\` to ${unlisted.file}`
      : `add \`${entry}\` to the list at ${unlisted.list}`;
  return value === null ? `${added}, with \`${field}\` in it` : added;
}

const VALUES = {
  model: null,
  timeout_ms: null,
  idle_timeout_ms: null,
  start_timeout_ms: null,
  max_turns: null,
  fallback: null,
  requires: null,
  min_lines: null,
  may_be_empty: 'true',
  on_fail: 'note',
  schema: null,
} as const;

export type StageField = keyof typeof VALUES;
