// Opens a task for a run: its folder, its manifest, and its journal with the edits that users made.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CalledAs } from '../../policies/facts/next-action.ts';
import { verdictMistake } from '../../policies/gate/answer-schema.ts';
import type { NotifierRow } from '../../policies/manifest/notifier.ts';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { type ResolvedRole, resolveRole } from '../../policies/manifest/resolved-role.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { type OwnRow, withoutProof } from '../../policies/verdict/own-row.ts';
import { accountMistake, IGNORED_ACCOUNTS, type ListedAccount, readAccounts } from '../../state/accounts.ts';
import { isWithin } from '../../state/disk/real-folder.ts';
import { isClosed } from '../../state/disk/regular-file.ts';
import { createDryRunJournal, type Journal, JournalError, openJournal } from '../../state/journal/journal.ts';
import { adoptEdits, imagineEdits } from '../../state/journal/stats.ts';
import { missingTask } from '../../state/missing-task.ts';
import { type PlaceOf, readManifest } from '../../state/project/manifest.ts';
import type { Manifest, Stage } from '../../state/project/manifest-schema.ts';
import { readProject } from '../../state/project/project.ts';
import { isSystemError, wayOutOf } from '../../state/system-error.ts';
import {
  findEscapingLink,
  locateTask,
  manifestsIn,
  projectRoot,
  projectState,
  strayState,
  type TaskFolder,
} from '../../state/task-folder.ts';
import { areTrustedTasks } from '../../state/trusted-folders.ts';
import { networkMistake } from '../../state/volume.ts';
import { describeTools } from '../../wrappers/own/described.ts';
import type { Lookup } from '../../wrappers/sessions/store.ts';
import { launcherIn } from '../launcher.ts';
import { createBounded, redactorOf } from '../redactor.ts';
import { wholeId } from '../session/locate.ts';
import { whyTracked } from '../tree/repository.ts';
import { withOwnGlobs, workingFolderMistake } from '../tree/task-tree.ts';
import type { RunContext } from './run-context.ts';
import type { RunOptions } from './run-options.ts';
import { effortMistake, type StagePlan } from './stage-plan.ts';

/** A task that may be run or examined. */
export interface OpenTask {
  task: TaskFolder;
  manifest: Manifest;
  /** Its stages in order, each with its role. */
  plans: StagePlan[];
  journal: Journal;
  /** The project's root, and the content of its tollgate.yaml. */
  root: string;
  project: ProjectFile;
  /** The project's rows that classify its calls, the recipients of its end, and notes for the reader about both. */
  ownRows: readonly OwnRow[];
  notifiers: readonly NotifierRow[];
  notes: string[];
  /** Why the trust that its manifest claims does not count; null if it counts, or if none is claimed. */
  refusedTrust: string | null;
  /** The accounts of the user, if its stages name one. */
  accounts: readonly ListedAccount[];
  /** The place in the manifest of a field of a stage. */
  placeOf: PlaceOf;
  /** The working tree of the scope: the project's root, or the task's own worktree. */
  tree: string;
  /** The folder in which the CLIs run, within the tree. */
  cwd: string;
  /** The project's `.tmp`. */
  stateFolder: string;
  /** Removes secrets from what is reported of the task. */
  hide(text: string): string;
  /** How the user called the command that opened it. */
  called: CalledAs;
}

type OpenedTask = { how: 'opened'; open: OpenTask } | { how: 'invalid'; message: string };

interface Opening
  extends Pick<RunContext, 'cwd' | 'environment' | 'clock'>,
    Pick<RunOptions, 'trustWorkspace'>,
    Partial<Pick<RunOptions, 'badVerdicts' | 'briefCommands'>> {
  /** The task: an id, or a path. */
  word: string;
  /** As the caller has just found it, with no change since; it is located if absent. */
  found?: FoundTask | null;
  /** The text of a manifest that is not written yet; its task need not exist. */
  draft?: string | null;
}

/** The folders of a task, and of its project. */
export interface FoundTask extends Pick<OpenTask, 'root' | 'stateFolder'> {
  task: TaskFolder;
}

/** What the files define about a task. */
export type ReadTask = Pick<
  OpenTask,
  'task' | 'manifest' | 'plans' | 'root' | 'project' | 'ownRows' | 'notifiers' | 'notes' | 'placeOf' | 'refusedTrust'
>;

type TaskRead = ({ how: 'read' } & ReadTask) | { how: 'invalid'; message: string };

/** Reads what the files define about a task, and nothing of its state. */
export async function readTask({
  word,
  cwd,
  environment,
  trustWorkspace,
  found = null,
  draft = null,
}: Omit<Opening, 'clock'>): Promise<TaskRead> {
  const located = found === null ? locateTask(word, cwd, environment) : { how: 'found' as const, folder: found.task };
  if (located.how === 'invalid') return located;
  const { folder } = located;
  const task = draft === null ? folder : { ...folder, manifest: folder.manifest ?? `${folder.root}/manifest.yaml` };
  if (task.manifest === null && isClosed(task.root))
    return { how: 'invalid', message: `${task.root} may not be looked into; make it readable for this user` };
  if (task.manifest === null && !existsSync(task.root)) {
    const message = `${missingTask(task.root)}; to make a new one: tollgate init ${word}`;
    return { how: 'invalid', message };
  }
  if (task.manifest === null)
    return {
      how: 'invalid',
      message: `${task.root} has no manifest.yaml (nor manifest.json); \`tollgate init ${word}\` writes one to fill in`,
    };
  // A user with write access to the folder could add a manifest that takes precedence.
  const [first, second] = manifestsIn(task.root);
  if (second !== undefined)
    return {
      how: 'invalid',
      message: `${task.root} has both ${path.basename(first!)} and ${path.basename(second)}; keep one of them`,
    };
  const root = found?.root ?? rootOf(task, cwd, environment);
  const project = await readProject(root);
  if (project.how === 'invalid') return project;
  const { read, refusedTrust } = await readTrusting(task.manifest, project.value, {
    environment,
    trustWorkspace,
    draft,
  });
  if (read.how === 'invalid')
    return { how: 'invalid', message: refusedTrust === null ? read.message : `${read.message}\n${refusedTrust}` };
  const { stages, placeOf } = read;
  const rooted = withOwnGlobs(read.manifest, treeOf({ root, manifest: read.manifest }));
  if (rooted.how === 'invalid')
    return { how: 'invalid', message: [...read.mistakes, `${task.manifest}: ${rooted.message}`].join('\n') };
  const { manifest } = rooted;
  const trust = trustWorkspace || manifest.security.trust_workspace ? 'trusted' : 'untrusted';
  const otherwise = trust === 'trusted' ? describeTools(project.value.tools) : null;
  if (otherwise !== null) return { how: 'invalid', message: otherwise };
  const plans: StagePlan[] = [];
  const mistakes = [...read.mistakes];
  for (const stage of stages) {
    const resolved = resolveRole(stage, project.value, trust);
    const mistake =
      resolved.how === 'invalid'
        ? `${task.manifest}: ${resolved.message}`
        : (schemaMistake(stage, resolved.role, placeOf) ?? effortMistake(stage, placeOf));
    if (mistake !== null) mistakes.push(mistake);
    else if (resolved.how !== 'invalid') plans.push({ stage, role: resolved.role, access: resolved.role.access });
  }
  if (mistakes.length > 0) return { how: 'invalid', message: mistakes.join('\n') };
  const counting = { ...rowsOf(project.value, trust), placeOf, refusedTrust };
  return { how: 'read', task, manifest, plans, root, project: project.value, ...counting };
}

/** A manifest that git tracks came with the checkout, and a checkout cannot trust itself; only a file of the user's own can. */
async function readTrusting(
  file: string,
  project: ProjectFile,
  { environment, trustWorkspace, draft = null }: Pick<Opening, 'environment' | 'trustWorkspace' | 'draft'>,
): Promise<{ read: Awaited<ReturnType<typeof readManifest>>; refusedTrust: string | null }> {
  const read = await readManifest(file, project, trustWorkspace ? 'trusted' : 'untrusted', draft);
  if (trustWorkspace || read.how === 'invalid' || !read.manifest.security.trust_workspace)
    return { read, refusedTrust: null };
  const why = await whyTracked(file, environment);
  if (why === null) return { read, refusedTrust: null };
  const refusedTrust = `${file}: security.trust_workspace is not used, since ${why}, and a checkout cannot trust itself; to trust it for this command: --trust-workspace; for good: ${launcherIn(environment)} trust`;
  return { read: await readManifest(file, project, 'refused', draft), refusedTrust };
}

/** Finds a schema that contradicts other requirements on the answer of its stage: sections, or a verdict. */
function schemaMistake({ name, schema }: Stage, role: ResolvedRole, placeOf: PlaceOf): string | null {
  if (schema === undefined) return null;
  if (role.requires.length > 0) {
    const { at, path: field } = placeOf(name, 'requires');
    return `${at}: ${field} contradicts the schema of stage ${name}: an answer that is JSON has no sections; expected one of requires and schema`;
  }
  const mistake = role.givesVerdict ? boundedVerdictMistake(schema) : null;
  if (mistake === null) return null;
  const { at, path: field } = placeOf(name, 'schema', mistake.at);
  return `${at}: ${field} ${mistake.message}`;
}

/** A pattern or references of a schema can be made so that checking them never ends. */
function boundedVerdictMistake(schema: object): ReturnType<typeof verdictMistake> {
  const look = createBounded()(() => verdictMistake(schema), 0);
  if (look.how === 'done') return look.value;
  const message =
    'takes too long to check for a verdict: make its patterns simpler (no repeat within another) and let fewer $ref lead to one place';
  return { at: [], message };
}

/** Like roles and pipelines, these rows count only in a trusted workspace. */
function rowsOf(
  { triage: { rules }, notify, unsound, accounts }: ProjectFile,
  trust: 'trusted' | 'untrusted',
): { ownRows: readonly OwnRow[]; notifiers: readonly NotifierRow[]; notes: string[] } {
  const ignored = accounts === undefined ? [] : [IGNORED_ACCOUNTS];
  if (trust === 'trusted') {
    const notes = Object.entries(unsound).map(
      ([name, message]) => `${name} of tollgate.yaml cannot be called: ${message}`,
    );
    return { ownRows: rules.map(withoutProof), notifiers: notify, notes: [...ignored, ...notes] };
  }
  const unused = [
    ...(rules.length === 0 ? [] : ['the rows of tollgate.yaml (triage.rules) are']),
    ...(notify.length === 0 ? [] : ['notify of tollgate.yaml is']),
  ];
  const notes = unused.map((what) => `${what} not used, since the workspace is not trusted (--trust-workspace)`);
  return { ownRows: [], notifiers: [], notes: [...ignored, ...notes] };
}

/** @param purpose `look` changes nothing on disk: the facts that a run would note first exist only in memory. */
export async function openTask(opening: Opening, purpose: 'run' | 'look' = 'run'): Promise<OpenedTask> {
  const read = await readTask(opening);
  if (read.how === 'invalid') return read;
  const { how: _, ...written } = read;
  const { task, manifest, root } = written;
  const trust = opening.trustWorkspace || manifest.security.trust_workspace ? 'trusted' : 'untrusted';
  // A folder that exists only in the task's worktree is searched for there.
  const isLater = manifest.worktree && isWithin(root, path.resolve(root, manifest.cwd ?? '.'));
  const cwdMistake = isLater
    ? null
    : workingFolderMistake({ cwd: manifest.cwd, manifest: task.manifest!, root, trust });
  if (cwdMistake !== null) return { how: 'invalid', message: cwdMistake };
  const stateFolder = opening.found?.stateFolder ?? projectState(root, opening.environment);
  const stray =
    strayState(stateFolder, opening.environment) ??
    findEscapingLink(stateFolder, ['state', 'state/trees', 'state/sessions', 'worktrees']);
  if (stray !== null) return { how: 'invalid', message: stray };
  const { openAt, adopt, verb } = OPENINGS[purpose];
  const journal = openAt(task.root, opening.clock);
  try {
    const mistake = networkMistake(task.root) ?? (await adopt(journal, opening.clock));
    if (mistake !== null) return { how: 'invalid', message: mistake };
    await noteBudget(journal, manifest.budgets.paid_call_budget);
  } catch (error) {
    if (error instanceof JournalError) return { how: 'invalid', message: error.message };
    if (!isSystemError(error)) throw error;
    const what = `${task.state} cannot be ${verb} (${error.message})`;
    return { how: 'invalid', message: `${what}; nothing was started. To continue, ${wayOutOf(error)}` };
  }
  const cwd = path.resolve(root, manifest.cwd ?? '.');
  const accounts = await accountsOf(written.plans, opening.environment, cwd);
  if (typeof accounts === 'string') return { how: 'invalid', message: `${task.manifest}: ${accounts}` };
  const named = await withWholeId(manifest, written.plans, { environment: opening.environment, cwd });
  if (named.how === 'invalid') return { how: 'invalid', message: `${task.manifest}: ${named.message}` };
  let redactor: Redactor | null = null;
  const hide = (text: string) => {
    redactor ??= redactorOf(opening.environment, manifest.security.redaction_patterns);
    return redactor.redact(text);
  };
  const { word, environment, trustWorkspace } = opening;
  const goesOnBy = manifest.supervise === undefined ? 'run' : 'supervise';
  const flags = [
    ...(opening.badVerdicts === 'fail' ? ['--fail-on-verdict'] : []),
    ...(opening.briefCommands === 'trusted' ? ['--trust-brief'] : []),
  ];
  // The list of `tollgate trust` also counts for the next command.
  const trusts = trustWorkspace && !areTrustedTasks([word], opening.cwd, environment);
  const called = { launcher: launcherIn(environment), verb: goesOnBy, word, trusts, flags } as const;
  return {
    how: 'opened',
    open: {
      ...written,
      manifest: named.manifest,
      journal,
      accounts,
      tree: treeOf(written),
      cwd,
      stateFolder,
      hide,
      called,
    },
  };
}

/** @returns a sentence if a stage or a fallback names an account that cannot be used. */
async function accountsOf(
  plans: readonly StagePlan[],
  environment: NodeJS.ProcessEnv,
  cwd: string,
): Promise<ListedAccount[] | string> {
  const users = plans.flatMap(({ stage }) =>
    [stage, ...stage.fallback].map(({ tool, account }) => ({ stage: stage.name, tool, account })),
  );
  if (users.every(({ account }) => account === undefined)) return [];
  const accounts = await readAccounts(environment, cwd);
  if (typeof accounts === 'string') return accounts;
  for (const { stage, tool, account } of users) {
    const mistake = account === undefined ? null : accountMistake(account, tool, accounts, environment);
    if (mistake !== null) return `stage ${stage}: ${mistake}`;
  }
  return accounts;
}

const OPENINGS = {
  run: { openAt: openJournal, adopt: adoptEdits, verb: 'written' },
  look: { openAt: createDryRunJournal, adopt: imagineEdits, verb: 'read' },
} as const;

async function withWholeId(manifest: Manifest, plans: readonly StagePlan[], lookup: Lookup) {
  const { session_id } = manifest.meta;
  if (session_id === undefined) return { how: 'read', manifest } as const;
  const tools = plans.map(({ stage }) => stage.tool);
  const whole = await wholeId(session_id, tools, lookup);
  if (whole.how === 'invalid') return { how: 'invalid', message: `meta.session_id: ${whole.message}` } as const;
  return { how: 'read', manifest: { ...manifest, meta: { ...manifest.meta, session_id: whole.id } } } as const;
}

/** A working folder outside the project is a tree of its own. */
export function treeOf({ root, manifest }: { root: string; manifest: Manifest }): string {
  const folder = path.resolve(root, manifest.cwd ?? '.');
  return folder === root || folder.startsWith(root + path.sep) ? root : folder;
}

/** A changed manifest counts. A manifest that is read for the first time does not override a budget that the user set before. */
async function noteBudget(journal: Journal, calls: number): Promise<void> {
  const { ledger } = journal.read();
  if (ledger.manifestBudget === calls) return;
  await journal.note({ fact: 'budget', calls, from: 'manifest' });
  if (ledger.manifestBudget === null && ledger.budget !== null)
    await journal.note({ fact: 'budget', calls: ledger.budget, from: 'command' });
}

/** The project's root. A task outside of any project runs in the caller's project. */
export function rootOf(task: TaskFolder, cwd: string, environment: NodeJS.ProcessEnv): string {
  const root = projectRoot(task.root);
  return environment.TOLLGATE_STATE || root === task.root ? projectRoot(cwd) : root;
}
