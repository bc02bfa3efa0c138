// A row of the manifest's help.

export interface ManifestField {
  /** One sentence without its end. */
  about: string;
  /** As it stands in a new manifest, in YAML; null for a group, or for a part that its parent's example shows. */
  example: string | null;
  /** What holds without it; null where it must be given. */
  without: string | null;
}
