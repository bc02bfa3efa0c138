// Holds the checks that preflight makes of each required CLI.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CheckAnswer, say } from '../policies/facts/finding.ts';
import type { BuiltIn } from '../policies/facts/tools.ts';
import { judgeVersion, TESTED_VERSIONS } from '../policies/manifest/tested-versions.ts';
import type { Adapter } from './adapter.ts';
import { ADAPTERS, adapterOf } from './adapters.ts';
import type { CliLocation } from './cli-search.ts';
import { versionIn, versionOfPackage } from './cli-version.ts';
import { lacking } from './feature.ts';
import { geminiNeeds } from './gemini/needs.ts';
import { askThrough, probePrefix, programOf } from './prefix.ts';
import { markEnvironment } from './processes/marker.ts';
import type { Surroundings } from './sign-in.ts';
import { brokenInstall, ignoredBy, TRUST_FOLDER, untrustedCall } from './startable.ts';

export interface ToolPlace extends Surroundings {
  adapter: Adapter;
  cli: CliLocation | null;
  uid: number;
  /** Whether the user trusts the folder, by the flag or permanently. */
  trustWorkspace: boolean;
  /** Starts a program and returns the version that it prints; null if no program may be started. */
  versionOf: ((file: string, words?: readonly string[]) => Promise<string | null>) | null;
}

export function checkFound({ adapter, cli, environment }: ToolPlace): CheckAnswer {
  const [program, isPrefixed] = [programOf(adapter), adapter.prefix !== undefined];
  const install = isPrefixed ? `install ${program}` : TESTED_VERSIONS[adapter.tool as BuiltIn].install;
  if (cli === null) return say('fail', `${program} is not found`, install);
  const started = isPrefixed ? { binary: program, packageName: '' } : adapter;
  return checkStartable(started, cli, environment.PATH) ?? checkPath(cli);
}

export function checkPath({ file, where, isOfProject }: CliLocation): CheckAnswer {
  if (where === 'on_path') return say('ok', file);
  const more = `export PATH="${path.dirname(file)}:$PATH"`;
  return isOfProject
    ? say('fail', `${file} is not on the PATH, and comes with the project`, `only if you trust the project: ${more}`)
    : say('fail', `${file} is not on the PATH`, more);
}

/** Preflight finds such a program, but does not start it. */
export const isStrange = ({ isOfProject }: CliLocation, { trustWorkspace }: { trustWorkspace: boolean }): boolean =>
  isOfProject && !trustWorkspace;

export const notStarted = ({ file }: CliLocation): CheckAnswer =>
  say(
    'warn',
    `${file} comes with the project, and was not started to ask for its version`,
    'if you trust the project, run `tollgate trust` there once, or give --trust-workspace',
  );

/** Checks this without starting the CLI. */
export function checkStartable(
  adapter: { binary: string; packageName: string },
  { file }: CliLocation,
  searchPath: string | undefined,
): CheckAnswer {
  const broken = brokenInstall(adapter, file, searchPath);
  return broken && say('fail', broken.what, broken.fix);
}

export async function checkVersion(place: ToolPlace): Promise<CheckAnswer> {
  const { adapter, cli, environment, versionOf } = place;
  const tool = adapter.tool as BuiltIn;
  if (cli === null || brokenInstall(adapter, cli.file, environment.PATH) !== null) return null;
  const { from, below, tested, install } = TESTED_VERSIONS[tool];
  const packaged = adapter.prefix === undefined ? versionOfPackage(cli.file, adapter.packageName) : null;
  if (packaged === null && versionOf === null)
    return say('note', 'not known without starting it', 'run tollgate preflight without --quick');
  if (packaged === null && isStrange(cli, place)) return notStarted(cli);
  const version = packaged ?? (await askedVersion(place, ['--version']));
  if (version === null) {
    const asked =
      adapter.prefix === undefined ? cli.file : `${adapter.prefix.slice(0, 3).join(' ')} … ${adapter.binary}`;
    return say('fail', `\`${asked} --version\` reports no version`, install);
  }
  const verdict = judgeVersion(tool, version);
  const range = `from ${from} up to, but not including, ${below}; last ${tested.at(-1)}`;
  const lacked = lackedBy(tool, version);
  if (verdict === 'tested')
    return lacked === '' ? say('ok', `${version} (tested)`) : say('note', `${version} (tested)${lacked}`, install);
  return say('warn', `${version} is ${verdict} than the tested ones (${range})${lacked}`, install);
}

/** @param words those that request the version. @returns null if it reports none, or may not be started. */
export async function askedVersion(place: ToolPlace, words: readonly string[]): Promise<string | null> {
  const { adapter, cli, versionOf } = place;
  if (cli === null || versionOf === null) return null;
  return adapter.prefix === undefined
    ? versionOf(cli.file, words)
    : versionIn(await askThrough(adapter, prefixedPlace(place, cli.file), words));
}

/** Starts a shell through the prefix, as each call does before it is paid. */
export async function checkPrefix(place: ToolPlace): Promise<CheckAnswer> {
  const { adapter, cli, versionOf, environment } = place;
  if (adapter.prefix === undefined || cli === null || isStrange(cli, place)) return null;
  const words = adapter.prefix.slice(0, 3).join(' ');
  if (versionOf === null) return say('note', `${words} …`, 'run tollgate preflight without --quick');
  const temporary = path.resolve(environment.TMPDIR || tmpdir());
  // A check of its own reports this.
  if (!existsSync(path.join(temporary, '/'))) return null;
  const folder = mkdtempSync(path.join(temporary, 'tollgate-prefix-'));
  try {
    const lack = await probePrefix(adapter, prefixedPlace(place, cli.file, folder));
    const fix = `fix tools.${adapter.tool}.prefix of tollgate.yaml`;
    return lack === null ? say('ok', `${words} …`) : say('fail', lack.why, fix);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function prefixedPlace({ environment, cwd }: ToolPlace, program: string, folder?: string) {
  const callId = `preflight-${process.pid}`;
  const variables = { ...markEnvironment(callId), ...(folder === undefined ? {} : { TMPDIR: folder }) };
  const folders = folder === undefined ? [] : [folder];
  return { program, callId, cwd, environment: { ...environment, ...variables }, variables, folders };
}

/** What the calls lack with that version, for people to read; empty if it lacks nothing. */
function lackedBy(tool: BuiltIn, version: string): string {
  const lacked = lacking(adapterOf(tool).features, version);
  const each = lacked.map(({ name, since, without }) => `${name} (since ${since}; ${without})`);
  return each.length === 0 ? '' : `; it lacks ${each.join(', ')}`;
}

/** @param way how to sign in to an account; by default to the CLI's own login. */
export function checkSignIn(place: Surroundings & { tool: BuiltIn }, way?: string): CheckAnswer {
  const found = ADAPTERS[place.tool].signIn(place);
  if (found.how === 'signed_in') return say('ok', `by ${found.by}`);
  if (found.how === 'unclear') return say('warn', found.because, way ?? found.fix);
  return say('fail', found.because, found.config ? found.fix : (way ?? found.fix));
}

/**
 * Each call in an untrusted folder fails. Whether the caller gives the flag is not known here, so this only warns. A CLI that
 * comes with the project fails the check either way: it works only for users who trust the project.
 */
export function checkTrust(place: ToolPlace): CheckAnswer {
  const { adapter, cli } = place;
  const refused = cli === null ? null : untrustedCall(adapter, place, cli.file);
  if (refused !== null && isStrange(cli!, place)) return say('fail', refused, TRUST_FOLDER);
  const untrusted = refused ?? (adapter.prefix === undefined ? adapter.refusesFolder(place) : null);
  return untrusted === null ? null : say('warn', untrusted, TRUST_FOLDER);
}

/** Finds what the CLI ignores of its configuration, and makes the checks that only one CLI needs. */
export function checkOwnNeeds(place: ToolPlace): CheckAnswer {
  const { adapter, environment, home, uid } = place;
  const ignored = ignoredBy(adapter, { ...place, environment: { ...environment, HOME: home } });
  const own = OWN_NEEDS[adapter.tool as BuiltIn]({ uid });
  if (ignored.length === 0) return own;
  const refused = ignored.some(({ what }) => what === 'settings');
  const found = ignored.map((one) =>
    one.what === 'server'
      ? `MCP server "${one.name}" does not start: ${one.why}`
      : one.what === 'servers'
        ? `${one.file} ${one.why}, so that its MCP servers do not start`
        : `${one.file} ${one.why}`,
  );
  const files = ignored.map((one) => (one.what === 'server' ? `the settings of ${one.name}` : one.file));
  const both = [`correct ${files.join(' and ')}`, ...(own?.fix ? [own.fix] : [])].join('; ');
  return say(refused ? 'fail' : 'warn', [...found, ...(own === null ? [] : [own.found])].join('; '), both);
}

const OWN_NEEDS = {
  gemini: geminiNeeds,
  copilot: () => null,
  codex: () => null,
  claude: () => null,
} as const satisfies Record<BuiltIn, (place: { uid: number }) => CheckAnswer>;
