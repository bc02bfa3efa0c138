// Defines a row of the manifest's help.

export interface ManifestField {
  /** One sentence without its full stop. */
  about: string;
  /** The value in a new manifest, as YAML; null for a group, or for a part that its parent's example shows. */
  example: string | null;
  /** The default; null if the field is required. */
  without: string | null;
}
