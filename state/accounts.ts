// Reads the accounts of the user's settings: which login a call of a CLI may use. A checkout cannot define any.

import { homedir } from 'node:os';
import path from 'node:path';
import type { Tool } from '../policies/facts/tools.ts';
import { type Account, HOMES, inAccount } from '../policies/limits/user-accounts.ts';
import { shellWord } from '../policies/text/display.ts';
import { nearest } from '../policies/text/nearest.ts';
import { makeFolder } from './disk/folder.ts';
import { isWithin, realOr } from './disk/real-folder.ts';
import { isAbsent, lookAt } from './disk/regular-file.ts';
import { settingsSchema } from './project/project.ts';
import { readYaml } from './project/yaml-file.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './task-folder.ts';
import { repositoryOf } from './trusted-folders.ts';

/** `problem`: why no call may use it, a sentence without its full stop; null if it is sound. */
export type ListedAccount = Account & { problem: string | null };

export const IGNORED_ACCOUNTS =
  'accounts of tollgate.yaml are not used: only your own settings define logins (tollgate accounts)';

/** The settings of the user, and nothing of the project. @returns null for a user without a home. */
export function settingsFile({ XDG_CONFIG_HOME, HOME }: NodeJS.ProcessEnv): string | null {
  const base = XDG_CONFIG_HOME || (HOME ? path.join(HOME, '.config') : '');
  return path.isAbsolute(base) ? path.join(base, 'tollgate/settings.yaml') : null;
}

/** @param cwd where the calls would run. @returns a sentence if the file cannot be used. */
export async function readAccounts(environment: NodeJS.ProcessEnv, cwd: string): Promise<ListedAccount[] | string> {
  const file = settingsFile(environment);
  if (file === null || isAbsent(file)) return [];
  const real = realOr(file);
  const checkout = repositoryOf(realOr(cwd));
  if (checkout !== null && isWithin(checkout, real))
    return `${file} is in the repository ${checkout}, and a checkout defines no accounts; keep it elsewhere (XDG_CONFIG_HOME)`;
  const unfit = mistakeOfOwner(real);
  if (unfit !== null) return `${file} ${unfit}`;
  const read = await readYaml(file, 'a settings file', settingsSchema);
  if (read.how === 'invalid') return read.message;
  const accounts = Object.entries(read.value.accounts).map(([name, { tool, home, key = null }]) => ({
    ...{ name, tool, key },
    home:
      home === undefined ? ownHome(name, environment) : path.resolve(path.dirname(file), expanded(home, environment)),
    isOurs: home === undefined,
  }));
  return accounts.map(({ isOurs, ...account }) => ({
    ...account,
    problem: sharedWith(account, accounts) ?? (isOurs ? null : folderMistake(account)),
  }));
}

/** For an account with a key alone: a folder that only we make. */
const ownHome = (name: string, environment: NodeJS.ProcessEnv): string =>
  path.join(userState(environment) ?? '/nonexistent', 'accounts', name);

const expanded = (home: string, environment: NodeJS.ProcessEnv): string =>
  home.replace(/^~(?=\/|$)/, environment.HOME || homedir());

function sharedWith({ name, tool, home }: Account, all: readonly Account[]): string | null {
  const real = realOr(home);
  const other = all.find((one) => one.name !== name && one.tool === tool && realOr(one.home) === real);
  return other === undefined
    ? null
    : `it has the same folder as the account ${other.name} (${home}); give each its own`;
}

function folderMistake({ tool, home }: Account): string | null {
  const found = lookAt(home);
  if (found === null)
    return `its folder ${home} is missing: make it (mkdir -p ${shellWord(home)}) and sign in there with ${HOMES[tool]}=${home}, or correct it`;
  if (!found.isDirectory()) return `${home} is not a folder`;
  const mistake = mistakeOfOwner(realOr(home));
  return mistake === null ? null : `its folder ${home} ${mistake}`;
}

/** Another user could have put a login or settings of theirs there. */
function mistakeOfOwner(place: string): string | null {
  const found = lookAt(place);
  const user = process.getuid?.();
  if (found === null || user === undefined) return null;
  if (found.uid !== user && found.uid !== 0) return 'belongs to another user, so it is not used';
  return (found.mode & 0o022) === 0 ? null : `may be written by other users; chmod go-w ${place}`;
}

/** The environment in which a CLI uses the account. @returns a sentence if nothing may be started. */
export async function environmentOf(
  name: string,
  tool: Tool,
  environment: NodeJS.ProcessEnv,
  cwd: string,
): Promise<NodeJS.ProcessEnv | string> {
  const accounts = await readAccounts(environment, cwd);
  if (typeof accounts === 'string') return accounts;
  const mistake = accountMistake(name, tool, accounts, environment);
  return mistake ?? inAccount(accounts.find((one) => one.name === name)!, accounts, environment);
}

/** The environments of all sound accounts; none if the settings cannot be used. */
export async function environmentsOfAccounts(environment: NodeJS.ProcessEnv, cwd: string) {
  const accounts = await readAccounts(environment, cwd);
  return (typeof accounts === 'string' ? [] : accounts)
    .filter(({ problem }) => problem === null)
    .map((account) => ({ ...account, environment: inAccount(account, accounts as ListedAccount[], environment) }));
}

/** Why a call of this CLI cannot use the account, as a sentence; null if it can, and its folder is there. */
export function accountMistake(
  name: string,
  tool: Tool,
  accounts: readonly ListedAccount[],
  environment: NodeJS.ProcessEnv,
): string | null {
  const account = namedAccount(name, accounts, environment);
  if (typeof account === 'string') return account;
  if (account.tool !== tool) return `the account ${name} is one of ${account.tool}, not of ${tool}`;
  if (account.problem !== null) return `the account ${name} cannot be used: ${account.problem}`;
  try {
    makeFolder(account.home);
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `the folder of the account ${name} cannot be made (${error.message})`;
  }
}

/** @returns a sentence if there is none of that name. */
export function namedAccount(
  name: string,
  accounts: readonly ListedAccount[],
  environment: NodeJS.ProcessEnv,
): ListedAccount | string {
  const found = accounts.find((one) => one.name === name);
  if (found !== undefined) return found;
  const file = settingsFile(environment) ?? 'your settings (set HOME)';
  const near = nearest(
    name,
    accounts.map((one) => one.name),
  );
  const meant = near === null ? `add it there: accounts: {${name}: {tool: …, home: …}}` : `did you mean ${near}?`;
  return `there is no account ${JSON.stringify(name)} in ${file}; ${meant}`;
}
