// Whether a CLI is signed in, as far as its files and the environment tell: nothing is started and nothing is paid.

/** Where a CLI would run. */
export interface Surroundings {
  environment: NodeJS.ProcessEnv;
  home: string;
  cwd: string;
}

/** `by` names a variable or a file, never what is in it. */
export type SignIn =
  | { how: 'signed_in'; by: string }
  /** There may be a credential where it cannot be looked at. */
  | { how: 'unclear'; because: string; fix: string }
  | { how: 'signed_out'; because: string; fix: string };
