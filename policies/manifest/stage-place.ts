// Locates a stage's field in the manifest: in the stage's own lines, or in an entry that refines a pipeline's stage.

export interface StagePlace {
  /** `<file>:<line>` of the field, or of the place that would contain it. */
  at: string;
  /** null for a stage that the manifest lists; otherwise what it does not list yet. */
  unlisted: Unlisted | null;
}

/** A stage that comes only from a named pipeline. */
interface Unlisted {
  file: string;
  /** `<file>:<line>` of the manifest's own list of stages; null if it has none. */
  list: string | null;
  /** The fields by which the entry identifies its stage, as YAML: `tool: gemini, role: review`. */
  fields: string;
}

/** The place; for an unlisted stage also the text to write, in which the user fills in what only the user knows. */
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
