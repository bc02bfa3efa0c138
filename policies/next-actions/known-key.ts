// How a CLI is signed in, as far as that is known.

export type KnownKey =
  /** A variable's name or a file, never what is in it. */
  { how: 'signed_in'; by: string } | { how: 'signed_out' | 'unclear'; because: string; mend: string };
