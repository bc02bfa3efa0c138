// Checks the machine before anything is paid: a row for each check, and with every finding the way to fix it.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { asCalled } from './loops/launcher.ts';
import { checkLeftovers, type Swept } from './loops/upkeep/swept.ts';
import { type CheckAnswer, type CheckFinding, say } from './policies/facts/finding.ts';
import { type BuiltIn, isBuiltIn, TOOLS, type Tool } from './policies/facts/tools.ts';
import { scrubbed } from './policies/gate/command-environment.ts';
import { inAccount, signInWay } from './policies/limits/user-accounts.ts';
import { type NotifierRow, notifierName, reachOf } from './policies/manifest/notifier.ts';
import { compareVersions, TESTED_NODE } from './policies/manifest/tested-versions.ts';
import { createRedactor } from './policies/redact/create-redactor.ts';
import { IGNORED_ACCOUNTS, readAccounts } from './state/accounts.ts';
import { checkLimits, checkReach, checkSpace, checkTemporary, checkWritable } from './state/checks.ts';
import { readProject } from './state/project/project.ts';
import { projectRoot, projectState } from './state/task-folder.ts';
import { isTrustedFolder } from './state/trusted-folders.ts';
import { adapterOf } from './wrappers/adapters.ts';
import {
  checkFound,
  checkOwnNeeds,
  checkPrefix,
  checkSignIn,
  checkTrust,
  checkVersion,
  isStrange,
  type ToolPlace,
} from './wrappers/checks.ts';
import { findCli, foldersOutside } from './wrappers/cli-search.ts';
import { versionIn } from './wrappers/cli-version.ts';
import { findBinary, findProgram } from './wrappers/find-binary.ts';
import { homeOf } from './wrappers/home.ts';
import { checkEscapes } from './wrappers/kernel-walls.ts';
import { checkOwnFound, checkOwnVersion } from './wrappers/own/checks.ts';
import { programOf } from './wrappers/prefix.ts';
import { captureIn } from './wrappers/shell.ts';

export interface PreflightOptions {
  /** The CLIs that are needed; by default all. */
  tools?: readonly Tool[];
  /** `quick` starts no process. */
  depth?: 'full' | 'quick';
  /** Where the CLIs would run. */
  cwd?: string;
  /** Whether the user trusts that folder; by default the list of `tollgate trust` decides. */
  trustWorkspace?: boolean;
  environment?: NodeJS.ProcessEnv;
  nodeVersion?: string;
  uid?: number;
  /** The project's notifiers for the end of a run. */
  notifiers?: readonly NotifierRow[];
  /** The prefixes that the project gives to built-in CLIs. */
  prefixes?: Readonly<Record<string, readonly string[]>>;
  /** The mistakes in tollgate.yaml, if the caller has read it. */
  mistakes?: readonly string[];
}

export interface PreflightReport {
  schema: 1;
  /** No check failed. */
  ok: boolean;
  findings: CheckFinding[];
  /** What a sweep found; only after a sweep. */
  swept?: Swept[];
}

type Machine = Parameters<typeof checkReach>[0] & Omit<ToolPlace, 'adapter' | 'cli'> & { nodeVersion: string };

const MACHINE_CHECKS: readonly { check: string; look(machine: Machine): CheckAnswer | Promise<CheckAnswer> }[] = [
  { check: 'node', look: checkNode },
  { check: 'git', look: checkGit },
  { check: 'state folder', look: checkWritable },
  { check: 'disk space', look: checkSpace },
  { check: '$TMPDIR', look: checkTemporary },
  { check: 'file system', look: checkReach },
  { check: 'escapes', look: checkEscapes },
  { check: 'proxy', look: checkProxy },
  { check: 'certificates', look: checkCertificates },
  {
    check: 'leftovers',
    look: ({ environment, versionOf }) => checkLeftovers(environment, versionOf ? 'full' : 'quick'),
  },
  { check: 'limits over all', look: ({ environment }) => checkLimits(environment, new Date()) },
];

const TOOL_CHECKS: readonly { check: string; look(place: ToolPlace): CheckAnswer | Promise<CheckAnswer> }[] = [
  { check: 'command', look: checkFound },
  { check: 'version', look: checkVersion },
  { check: 'prefix', look: checkPrefix },
  // Through a prefix it may have other files.
  {
    check: 'sign-in',
    look: (place) =>
      place.adapter.prefix === undefined ? checkSignIn({ ...place, tool: place.adapter.tool as BuiltIn }) : null,
  },
  { check: 'trust', look: checkTrust },
  { check: 'limits', look: checkOwnNeeds },
];

/** Checks, and changes nothing. A problem of the machine is a finding, never a thrown error. */
export async function preflight(options: PreflightOptions = {}): Promise<PreflightReport> {
  const machine = describeMachine(options);
  const ofMachine = MACHINE_CHECKS.map(async ({ check, look }) => ({ check, answer: await look(machine) }));
  const ofTools = (options.tools ?? TOOLS).flatMap((tool) => {
    const prefix = options.prefixes?.[tool];
    const adapter = prefix === undefined ? adapterOf(tool) : { ...adapterOf(tool), prefix };
    const cli = findCli(programOf(adapter), machine, projectRoot(machine.cwd));
    const place = { ...machine, adapter, cli };
    if (!isBuiltIn(tool)) return checksOfOwn(tool, place);
    return TOOL_CHECKS.map(async ({ check, look }) => ({ check: `${tool} ${check}`, answer: await look(place) }));
  });
  const ofNotifiers = (options.notifiers ?? []).map((row, i) => checkNotifier(row, i, machine));
  const ofProject = (options.mistakes ?? []).map((mistake) => ({
    check: 'tollgate.yaml',
    answer: say('fail', mistake, 'fix it there'),
  }));
  const ofAccounts = await checksOfAccounts(options.tools ?? TOOLS, machine);
  const answers = await Promise.all([...ofAccounts, ...ofMachine, ...ofTools, ...ofNotifiers, ...ofProject]);
  const findings = answers.flatMap(({ check, answer }) =>
    answer === null ? [] : [{ check, ...answer, fix: answer.fix && asCalled(answer.fix, machine.environment) }],
  );
  return { schema: 1, ok: findings.every((finding) => finding.status !== 'fail'), findings };
}

/** Checks the user's accounts of these CLIs: their folders, and whether they are signed in. */
async function checksOfAccounts(tools: readonly Tool[], machine: Machine) {
  const { environment, cwd } = machine;
  const project = await readProject(projectRoot(cwd));
  const ignored =
    project.how === 'read' && project.value.accounts !== undefined
      ? [{ check: 'tollgate.yaml', answer: say('warn', IGNORED_ACCOUNTS, 'remove accounts from it') }]
      : [];
  const accounts = await readAccounts(environment, cwd);
  if (typeof accounts === 'string')
    return [...ignored, { check: 'accounts', answer: say('fail', accounts, 'fix it there') }];
  const wanted = accounts.filter(({ tool }) => tools.includes(tool));
  return [
    ...ignored,
    ...wanted.map((account) => ({
      check: `${account.tool} account ${account.name}`,
      answer:
        account.problem === null
          ? checkSignIn(
              { ...machine, tool: account.tool, environment: inAccount(account, accounts, environment) },
              signInWay(account),
            )
          : say('fail', account.problem, 'tollgate accounts names the file that defines it'),
    })),
  ];
}

/** Checks a CLI that the project describes. Its sign-in and its needs are not checked: they are the project's own concern. */
function checksOfOwn(tool: Tool, place: ToolPlace): Promise<{ check: string; answer: CheckAnswer }>[] {
  return [
    Promise.resolve({ check: `${tool} command`, answer: checkOwnFound(place) }),
    checkOwnVersion(place).then((answer) => ({ check: `${tool} version`, answer })),
    checkPrefix(place).then((answer) => ({ check: `${tool} prefix`, answer })),
  ];
}

/** Sends nothing. Anything missing is a warning, because no run fails for it. */
function checkNotifier(
  row: NotifierRow,
  i: number,
  { environment, cwd }: Machine,
): { check: string; answer: CheckAnswer } {
  const check = `notify ${i + 1}`;
  const found = notifierName(row);
  if (row.command !== undefined) {
    const file = findProgram(row.command[0]!, projectRoot(cwd), environment);
    const fix = `fix notify[${i}].command of tollgate.yaml`;
    return { check, answer: file === null ? say('warn', `${found} is not found`, fix) : say('ok', found) };
  }
  const reach = reachOf(row, environment);
  if (reach.how === 'impossible') return { check, answer: say('warn', `${found}: ${reach.why}`, reach.fix) };
  const { warning } = reach;
  if (warning === null) return { check, answer: say('ok', found) };
  return { check, answer: say('warn', `${found}: ${warning}`, `fix notify[${i}].webhook of tollgate.yaml`) };
}

function describeMachine(options: PreflightOptions): Machine {
  const environment = options.environment ?? process.env;
  const cwd = path.resolve(options.cwd ?? '.');
  const home = homeOf(environment) ?? cwd;
  const trustWorkspace = options.trustWorkspace ?? isTrustedFolder(cwd, environment);
  const searchPath = trustWorkspace ? environment.PATH : foldersOutside(environment.PATH, projectRoot(cwd), home);
  const ask = options.depth === 'quick' ? null : createAsker({ ...environment, PATH: searchPath }, cwd);
  return {
    cwd,
    environment,
    home,
    stateFolder: projectState(cwd, environment),
    nodeVersion: options.nodeVersion ?? process.versions.node,
    uid: options.uid ?? process.getuid?.() ?? -1,
    trustWorkspace,
    versionOf: ask && (async (file, words = ['--version']) => versionIn(await ask`${file} ${words as string[]}`)),
    sourceOf: ask && (async (folder) => /\n(.*?)\s+\d/.exec(await ask`df -P ${folder}`)?.[1] ?? null),
  };
}

/** Runs a command without secrets, for ten seconds at most, and returns its stdout, however it ends. */
function createAsker(environment: NodeJS.ProcessEnv, cwd: string) {
  const { redact } = createRedactor({ env: environment, patterns: [] });
  const env = scrubbed(environment, undefined, redact);
  const shell = findBinary('bash', env.PATH);
  return captureIn({ cwd, env, ...(shell === null ? {} : { shell }) });
}

function checkNode({ nodeVersion }: Machine): CheckAnswer {
  if (compareVersions(nodeVersion, TESTED_NODE.from) >= 0) return say('ok', nodeVersion);
  return say('fail', `${nodeVersion} is older than ${TESTED_NODE.from}`, 'install Node 20.19 or newer');
}

async function checkGit(machine: Machine): Promise<CheckAnswer> {
  const git = findCli('git', machine, projectRoot(machine.cwd));
  if (git?.where === 'on_path') {
    const version = isStrange(git, machine) ? null : await machine.versionOf?.(git.file);
    return say('ok', version ?? git.file);
  }
  return say('warn', 'git is not on the PATH: changes of a CLI in the tree cannot be detected', 'install git');
}

function checkProxy({ environment }: Machine): CheckAnswer {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((upper) => [upper, upper.toLowerCase()]);
  const set = names.filter((name) => environment[name]).map((name) => `${name} (${hostOf(environment[name]!)})`);
  return set.length === 0 ? null : say('note', `calls go through ${set.join(', ')}`);
}

/** A proxy's address may contain a password. */
const hostOf = (url: string) => (URL.canParse(url) && new URL(url).host) || url.slice(url.lastIndexOf('@') + 1);

function checkCertificates({ environment, nodeVersion }: Machine): CheckAnswer {
  const file = environment.NODE_EXTRA_CA_CERTS;
  if (!file) return null;
  if (!existsSync(file))
    return say('warn', `NODE_EXTRA_CA_CERTS names ${file}, which is not there`, 'unset it, or put the file there');
  // Measured with a system's complete bundle on Node 20, 22 and 24.
  if (compareVersions(nodeVersion, '22.0.0') >= 0) return say('note', `NODE_EXTRA_CA_CERTS=${file}`);
  const found = `NODE_EXTRA_CA_CERTS=${file} can add 50 ms to the start of every Node ${nodeVersion} process`;
  return say('note', found, 'name a file with only the certificates you need, or use Node 22 or newer');
}
