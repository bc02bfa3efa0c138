// Describes whether a CLI is signed in, and reads the small files that show it. Nothing is started and nothing is paid.

import { readFollowedIfFit } from '../state/disk/regular-file.ts';

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
  /** `config`: a setting is wrong, so that no login helps. */
  | { how: 'signed_out'; because: string; fix: string; config?: true };

export const misconfigured = (because: string, fix: string): SignIn => ({
  how: 'signed_out',
  because,
  fix,
  config: true,
});

/** @param name where the address is set. The address itself may hold a password. */
export const badAddress = (name: string, address: string | null | undefined): SignIn | null =>
  address === null || address === undefined || (URL.canParse(address) && /^\s*https?:/i.test(address))
    ? null
    : misconfigured(`${name} is no address that begins with http:// or https://`, `correct ${name}`);

/** The whole text; null if the file cannot be read. A person may keep it elsewhere and link to it. */
export const readText = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);

const MAX_BYTES = 1024 * 1024;

/** The variables of a .env file, as far as plain lines show them. */
export function readDotEnvFile(file: string): Record<string, string | undefined> {
  const pairs = (readText(file) ?? '').matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*["']?([^"'\s]*)/gm);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}
