// Checks and makes each change with the command of the terminal, or the function behind it, and with the same refusals.

import { type BatchStart, openBatches, savedReport } from '../../../loops/batch/report.ts';
import { releaseHold } from '../../../loops/limits/holds.ts';
import type { WantedRun } from '../../../loops/report/carried-run.ts';
import { readTask } from '../../../loops/report/collect.ts';
import { endProcess, stopTask } from '../../../loops/report/now.ts';
import { findSupervised } from '../../../loops/supervise/find-supervised.ts';
import { readTask as readManifestOf } from '../../../loops/task/task.ts';
import { isUnswept, type Swept, summariseSwept } from '../../../loops/upkeep/swept.ts';
import { limitsFiles } from '../../../state/limits/limits-folder.ts';
import { projectState, type TaskFolder } from '../../../state/task-folder.ts';
import { identify, isAlive } from '../../../wrappers/processes/identity.ts';
import type { Actions, Changed } from '../../contract/page.ts';
import { NAME, pageCommand } from '../../contract/page-command.ts';
import { answerWith, type CommandResult, type Reply, refused, refusedBy, type ServedProject } from '../project.ts';
import { foundTask } from '../reads/task.ts';
import {
  batchWanted,
  bookWanted,
  comparisonWanted,
  continueWanted,
  newComparisonWanted,
  resumeWanted,
} from './begun.ts';
import { checkNew, createTask } from './drafts.ts';
import { checkManifest, saveManifest } from './manifests.ts';

type ChangeOf<P extends keyof Actions> = (wish: Actions[P], project: ServedProject) => Promise<Reply>;

export const CHANGES: { [P in keyof Actions]: ChangeOf<P> } = {
  async '/api/stop'({ task }, project) {
    const found = foundTask(task, project);
    if ('how' in found) return found;
    const stopped = await stopTask(found);
    switch (stopped.how) {
      case 'signalled':
        return done(`${task} has the request to stop; the output of its call so far is kept.`);
      case 'idle':
        return refused(409, `${task} has ended already, so there is nothing to stop`);
      case 'elsewhere':
        return refused(409, `${task} runs on ${stopped.host}, or in another container`, 'stop it there');
    }
  },

  async '/api/batch/start'({ tasks }, project) {
    const open = await openBatches(projectState(project.cwd, project.environment));
    for (const task of tasks) {
      const why = await hindrance(task, open, project);
      if (why !== null) return refused(409, `${why}; nothing was started`, 'begin the batch without this task');
    }
    return begun(project, batchWanted(tasks, project), 'The batch was begun', 'this batch');
  },
  async '/api/batch/stop'({ batch }, { cwd, environment }) {
    const saved = await savedReport(projectState(cwd, environment), batch);
    if (saved.how === 'invalid') return refused(404, saved.message);
    if (saved.how === 'read') return refused(409, `${batch} has ended already, so there is nothing to stop`);
    const { owner } = saved.start;
    switch (await isAlive(owner, (await identify(process.pid))!)) {
      case 'alive':
        endProcess(owner.pid);
        return done('The batch has the request to stop; it ends the running calls and begins no further task.');
      case 'dead':
        return refused(409, `the process of ${batch} has ended already, so there is nothing to stop`);
      case 'unknown':
        return refused(409, `${batch} runs on ${owner.host}, or in another container`, 'stop it there');
    }
  },

  async '/api/answer'({ task, answer }, project) {
    const found = foundTask(task, project);
    if ('how' in found) return found;
    const noted = await project.commands.change(['answer', '--later', '--', task, answer]);
    if (noted.exit !== 0) return refusedBy(noted);
    if (noted.object.state !== 'waiting') return done(sentence(noted));
    const went = await begun(project, continueWanted(['supervise', task], project), `${task} has the answer`);
    return went.how === 'refused'
      ? { ...went, message: `the answer for ${task} is stored, but the task did not continue: ${went.message}` }
      : went;
  },

  async '/api/run'({ command }, project) {
    const wanted = pageCommand(command);
    if (wanted === null)
      return refused(400, 'this command cannot be run from the page; nothing was changed', 'copy it');
    const { words, continues } = wanted;
    const [verb, name, ...flags] = words;
    if (verb === 'distill resume') return begun(project, resumeWanted(name, project, flags), `${name} continues`);
    if (continues === null) return changed(project.commands.change(words));
    const owner = verb === 'supervise' ? findSupervised(continues, project.cwd, project.environment) : null;
    if (owner?.how === 'invalid') return refused(404, owner.message);
    const task = owner?.word ?? continues;
    const found = foundTask(task, project);
    if ('how' in found) return found;
    const { row, problem } = await rowOf(found, project);
    if (row === null) return refused(409, `${task} cannot be read: ${problem ?? 'it has no journal and no manifest'}`);
    // A second run would wait, and then repeat what the first one was asked for.
    if (row.state === 'running') return refused(409, `${task} is already running; nothing was started`);
    if (flags.length === 0 && row.supervision?.question)
      return refused(409, `${task} waits for an answer`, 'answer its question first');
    // A task that a reasoner leads continues under it.
    const isLed = verb === 'supervise' || (flags.length === 0 && row.supervision !== null);
    return begun(project, continueWanted(isLed ? ['supervise', task] : words, project), `${task} continues`);
  },

  '/api/draft': (wish, project) => checkNew(wish, project),
  async '/api/create'({ run, ...wish }, project) {
    const created = await createTask(wish, project);
    if (typeof created !== 'string') return created;
    return run ? begun(project, continueWanted(['run', wish.id], project), created) : done(`${created}.`);
  },

  '/api/manifest/check': (wish, project) => checkManifest(wish, project),
  async '/api/manifest'(wish, project) {
    const saved = await saveManifest(wish, project);
    return typeof saved === 'string' ? done(saved) : saved;
  },

  '/api/limits': ({ tool, per, unit, most }, { commands }) => {
    const ofTool = tool === 'any' ? [] : [`--tool=${tool}`];
    const pace = per === 'minute' ? '--per-minute' : per === 'once' ? '--at-once' : null;
    if (pace !== null && unit !== 'calls') return Promise.resolve(refused(400, 'a pace is counted in calls'));
    // Of a pace, 0 means no limit; of a budget, no call.
    if (pace !== null) {
      const says =
        most === null
          ? 'This limit no longer exists.'
          : `At most ${most} calls ${per === 'once' ? 'at once' : 'a minute'}.`;
      return changed(commands.change(['budget', `${pace}=${most ?? 0}`, ...ofTool]), says);
    }
    const argv = ['budget', `--per=${per}`, `--of=${unit}`, ...ofTool, most === null ? '--unset' : `--set=${most}`];
    const says = most === null ? `This budget no longer exists.` : `At most ${most} ${unit} a ${per}.`;
    return changed(commands.change(argv), says);
  },

  async '/api/release'(hold, { environment, clock }) {
    const files = limitsFiles(environment);
    if (files === null) return refused(409, 'this user has no home in which holds are kept', 'set HOME to a folder');
    switch (await releaseHold(files, hold, clock)) {
      case 'released':
        return done(`The hold of ${hold.tool} is removed; the next call shows whether the service accepts it.`);
      case 'none':
        return refused(409, 'this hold no longer exists');
      case 'busy':
        return refused(409, 'another process is changing the limits; try again', 'try again in a moment');
    }
  },

  '/api/undo': ({ session }, { commands }) => changed(commands.change(['undo', session])),
  '/api/redo': ({ session, n }, { commands }) => changed(commands.change(['undo', session, `--redo=${n}`])),
  '/api/recover': ({ session, choice }, { commands }) =>
    changed(commands.change(['recover', session, `--choose=${choice}`])),

  '/api/compare/start': (wish, project) =>
    begun(project, newComparisonWanted(wish, project), 'The comparison was begun', 'this comparison'),
  '/api/compare/pick': ({ comparison, n }, { commands }) =>
    changed(
      commands.change(['compare', `--pick=${n}`, `--of=${comparison}`]),
      `The changes of variant ${n} were applied to the tree.`,
    ),
  '/api/compare/remove': ({ comparison }, { commands }) =>
    changed(commands.change(['compare', `--remove=${comparison}`]), `The worktrees of ${comparison} were removed.`),
  '/api/compare/resume': ({ comparison }, project) =>
    begun(project, comparisonWanted(comparison, project), `${comparison} continues`),

  async '/api/distill/start'(wish, project) {
    const { model, max_calls: most } = wish;
    const flags = [`--model=${model}`, ...(most === null ? [] : [`--max-calls=${most}`])];
    const wanted = bookWanted(wish, project, flags);
    if (typeof wanted === 'string') return refused(409, wanted);
    return begun(project, wanted, 'The book was begun');
  },
  '/api/distill/pause': ({ name }, { commands }) => changed(commands.change(['distill', 'pause', name])),
  '/api/distill/stop': ({ name }, { commands }) => changed(commands.change(['distill', 'stop', name])),
  '/api/distill/delete': ({ name, section }, { commands }) =>
    changed(commands.change(['distill', 'delete-section', name, String(section)])),

  async '/api/sweep'(_, { commands }) {
    const swept = await commands.change(['preflight', '--sweep']);
    const things = swept.object.swept as Swept[] | undefined;
    if (!Array.isArray(things)) return refusedBy(swept);
    const unswept = things.find(isUnswept);
    if (unswept !== undefined) return refused(409, unswept.told, unswept.fix);
    return done([...things.slice(0, 3).map(({ told: what }) => `${what}.`), summariseSwept(things)].join(' '));
  },
};

async function rowOf({ root }: TaskFolder, { environment }: ServedProject): ReturnType<typeof readTask> {
  const self = (await identify(process.pid))!;
  return readTask(root, { environment, stages: 'left_out', isShown: () => true, self });
}

/** Why the task cannot be in a new batch, which would pay for what is at work, or without its reasoner; null if it can. */
async function hindrance(task: string, open: readonly BatchStart[], project: ServedProject): Promise<string | null> {
  const found = foundTask(task, project);
  // The batch names each that is not there.
  if ('how' in found) return null;
  const { row } = await rowOf(found, project);
  if (row?.state === 'running') return `${task} is already running`;
  const other = open.find(
    // An agent can write these files.
    ({ state, task_ids: ids, began_at: at }) =>
      state === 'running' && Array.isArray(ids) && ids.includes(task) && (row?.at ?? '') < at,
  );
  if (other !== undefined) return `${task} waits in the batch ${other.batch_id}, which runs`;
  const { cwd, environment } = project;
  const read = await readManifestOf({ word: task, cwd, environment, trustWorkspace: true });
  if (read.how === 'read' && read.manifest.supervise !== undefined)
    return `${task} is led by a reasoner, which a batch does not call`;
  return null;
}

const done = (says: string): Reply => answerWith<Changed>({ says });

/** @param says replaces the message of the command. */
async function changed(command: Promise<CommandResult>, says?: string): Promise<Reply> {
  const ended = await command;
  return ended.exit === 0 ? done(says ?? sentence(ended)) : refusedBy(ended);
}

const sentence = ({ object: { message, says } }: CommandResult): string => {
  const said = [message, says].find((each) => typeof each === 'string' && each !== '') as string | undefined;
  return said ?? 'Done.';
};

/** Whether the run was refused, and did not only fail. */
const isRefusal = ({ object: { state, message } }: CommandResult): boolean =>
  typeof state !== 'string' || typeof message === 'string';

/**
 * @param what was done, whatever the result of the run. A run that stops again at once was started, and its cost stays.
 * @param once its name, if the same request is refused while it is at work.
 */
async function begun(project: ServedProject, wanted: WantedRun, what: string, once?: string): Promise<Reply> {
  const { how, ended } = await project.commands.begin(wanted, (later) => {
    if (!isRefusal(later)) return;
    const refusal = refusedBy(later);
    if (refusal.how === 'refused')
      project.tellRefusal?.({
        message: `${what}, but was refused: ${refusal.message}`,
        way_out: refusal.way_out ?? null,
      });
  });
  if (how === 'found' && once !== undefined) return refused(409, `${once} is already at work; nothing was started`);
  if (ended === null) return done(`${what}, and is at work.`);
  const { state, evidence } = ended.object;
  if (typeof state !== 'string' || isRefusal(ended)) return refusedBy(ended);
  const why = typeof evidence === 'string' && evidence !== '' ? `: ${evidence}` : '.';
  if (ended.exit === 0 || state === 'parked') return done(`${what}, and is ${state} now${why}`);
  const words = state === 'failed' ? 'has failed' : `is ${state.replaceAll('_', ' ')} now`;
  return answerWith<Changed>({ says: `${what}, and ${words}${why}`, failed: true });
}

/** Whether a field of a request is what a change accepts. */
type Field = (value: unknown) => boolean;

const MAX_WORD = 4096;
const MAX_COUNT = 1e12;
/** More than any form has. */
const MAX_ITEMS = 100;

const text: Field = (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
const word: Field = (value) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_WORD && !/[\p{Cc}\p{Cf}]/u.test(value);
const id: Field = (value) => typeof value === 'string' && NAME.test(value);
const count: Field = (value) => Number.isFinite(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;
const flag: Field = (value) => typeof value === 'boolean';
const orNull =
  (fits: Field): Field =>
  (value) =>
    value === null || fits(value);
const oneOf =
  (...values: readonly unknown[]): Field =>
  (value) =>
    values.includes(value);
const listOf =
  (fits: Field): Field =>
  (value) =>
    Array.isArray(value) && value.length <= MAX_ITEMS && value.every(fits);
const lines = listOf((line) => text(line) && (line as string).length <= MAX_WORD);
const access = oneOf(null, 'read', 'write', 'full');
const stages = listOf((stage) => mistakeIn(stage, { tool: word, role: word, access }) === null);

const NEW_TASK = {
  ...{ id, goal: text, pipeline: orNull(word), stages },
  ...{ calls: count, usd: orNull(count), wallclock_sec: orNull(count) },
  ...{ commands: lines, criteria: lines, allow: lines, deny: lines },
} as const satisfies Record<keyof Actions['/api/draft'], Field>;

export const WISHES = {
  '/api/stop': { task: id },
  '/api/batch/start': { tasks: listOf(id) },
  '/api/batch/stop': { batch: id },
  '/api/answer': { task: id, answer: text },
  '/api/run': { command: word },
  '/api/draft': NEW_TASK,
  '/api/create': { ...NEW_TASK, run: flag },
  '/api/manifest/check': { task: id, text },
  '/api/manifest': { task: id, text, version: word },
  '/api/limits': {
    tool: word,
    per: oneOf('day', 'week', 'month', 'minute', 'once'),
    unit: oneOf('calls', 'tokens', 'usd'),
    most: orNull(count),
  },
  '/api/release': { tool: word, account: word, model: orNull(word) },
  '/api/undo': { session: id },
  '/api/redo': { session: id, n: count },
  '/api/recover': { session: id, choice: oneOf('rollback', 'clear', 'export', 'ignore') },
  '/api/compare/start': { prompt: text, tools: listOf(word), access: oneOf('read', 'write') },
  '/api/compare/pick': { comparison: id, n: count },
  '/api/compare/remove': { comparison: id },
  '/api/compare/resume': { comparison: id },
  '/api/distill/start': { book: word, prompt: orNull(text), model: word, max_calls: orNull(count) },
  '/api/distill/pause': { name: id },
  '/api/distill/stop': { name: id },
  '/api/distill/delete': { name: id, section: count },
  '/api/sweep': {},
} as const satisfies { [P in keyof Actions]: Record<keyof Actions[P], Field> };

/** @returns the mistake in the request, or null. */
export const wishMistake = (path: keyof Actions, wish: unknown): string | null => mistakeIn(wish, WISHES[path]);

function mistakeIn(wish: unknown, fields: Record<string, Field>): string | null {
  if (typeof wish !== 'object' || wish === null || Array.isArray(wish)) return 'the body is not a JSON object';
  const given = wish as Record<string, unknown>;
  if (Object.keys(given).some((name) => !Object.hasOwn(fields, name))) return 'the body has a field too many';
  const wrong = Object.keys(fields).find((name) => !fields[name]!(given[name]));
  return wrong === undefined ? null : `"${wrong}" is not what it has to be`;
}
