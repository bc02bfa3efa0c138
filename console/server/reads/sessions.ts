// Reads the sessions under their tags, and one conversation with what was taken back of it.

import path from 'node:path';
import { redactorOf } from '../../../loops/redactor.ts';
import { knownSessions } from '../../../loops/session/adopt.ts';
import { flawLines, healthLines, healthOf } from '../../../loops/session/health.ts';
import { readHistory } from '../../../loops/session/history.ts';
import { locateSession } from '../../../loops/session/locate.ts';
import { openingOf } from '../../../policies/prompt/opening.ts';
import { redactValue } from '../../../policies/redact/redactor.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { isFolder, readHead } from '../../../state/disk/regular-file.ts';
import { JournalError, openJournal } from '../../../state/journal/journal.ts';
import type { Call } from '../../../state/journal/ledger.ts';
import { readSessions } from '../../../state/sessions/sessions-file.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { manifestsIn, projectState, type TaskFolder } from '../../../state/task-folder.ts';
import { findRecord } from '../../../state/usage.ts';
import { isSessionFileError } from '../../../wrappers/sessions/store.ts';
import type { ConversationShown, SessionCall, SessionLine, SessionsShown } from '../../contract/sessions.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { foundTask } from './task.ts';
import { goalOf, redactorOfTask } from './texts.ts';

export async function sessionsShown(project: ServedProject): Promise<Reply> {
  const { cwd, environment, clock } = project;
  const stateFolder = projectState(cwd, environment);
  const { sessions } = await knownSessions({ stateFolder, environment, clock });
  const lines: SessionsShown['sessions'] = [];
  const made = new Map<string, MadeCalls>();
  for (const { tag, tool, entry, file, turns, health } of sessions) {
    const { session_id, last_used, error_count, context_tokens = null } = entry;
    const goal = await goalOfTag(tag, project);
    const made_by = lines.length < MOST_NAMED ? lastMaker(session_id, tool, tag, { project, made }) : null;
    lines.push({
      ...{ tag, goal, made_by, tool, session_id, last_used, error_count, turns, context_tokens, health },
      kept: file !== null,
    });
  }
  return answerWith<SessionsShown>({ sessions: lines });
}

/** The journals of tasks are read for the stages of so many conversations, the latest. */
const MOST_NAMED = 50;

interface Making {
  project: ServedProject;
  /** The calls of the tasks whose journals were read: each is read once. */
  made: Map<string, MadeCalls>;
}

/** By the task that has the tag as its id. The tag of a reasoner has a word more. */
function lastMaker(id: string, tool: string, tag: string, { project, made }: Making): SessionLine['made_by'] {
  const name = tag.replace(/ \(reasoner\)$/, '');
  const read = made.get(name) ?? callsOfTask(name, project);
  made.set(name, read);
  if (read === null) return null;
  // The record of each call is a file: most often the one of the last call is enough.
  const last = read.calls.findLast(
    (call) => call.reserved.tool === tool && findRecord(read.task, call)?.session_id === id,
  );
  return last === undefined ? null : { task_id: read.task.id, stage: last.reserved.stage };
}

/** A long conversation is shown from its end. */
const MOST_TURNS = 500;

export async function conversationShown(id: string, project: ServedProject): Promise<Reply> {
  const { cwd, environment, clock } = project;
  try {
    const located = await locateSession(id, null, { environment, cwd });
    if (located.how === 'invalid') return refused(404, located.message);
    const { store, session } = located;
    const { turns, all, reverted, redo, notes } = readHistory(store, session, environment, MOST_TURNS);
    const health = healthOf(store.open(session), located.environment);
    const flaws = health.flaws ?? [];
    const { redact } = redactorOf(environment, []);
    const { entries } = await readSessions(projectState(cwd, environment), clock, 'in_place');
    const tag = [...entries()].find(({ entry }) => entry.session_id === session.id)?.tag ?? null;
    const shown: ConversationShown = {
      tag,
      goal: tag === null ? null : await goalOfTag(tag, project),
      calls: tag === null ? [] : callsOf(session.id, tag, project),
      tool: session.tool,
      session_id: session.id,
      ...{ all, reverted, notes },
      turns: (redactValue(turns, redact) as typeof turns).map((turn) => ({ ...turn, opening: openingOf(turn.prompt) })),
      redo: redo.map(({ n, at, next }) => ({ n, at, next })),
      health: {
        lines: healthLines(health, environment),
        flaws: flawLines(flaws),
        flawed_turns: flaws.map(({ turn }) => turn),
      },
    };
    return answerWith(shown);
  } catch (error) {
    if (!isSessionFileError(error) && !isSystemError(error)) throw error;
    return refused(409, `the session cannot be read (${error.message}); it was not changed`);
  }
}

/** A task without a tag of its own uses its id. */
async function goalOfTag(tag: string, project: ServedProject): Promise<string | null> {
  const folder = path.join(tasksIn(project), tag);
  if (!IS_TASK.test(tag) || !isFolder(folder)) return null;
  return goalOf(folder, await redactorOfTask(tag, project));
}

const IS_TASK = /^[\w-][\w.-]*$/;

const tasksIn = ({ cwd, environment }: ServedProject): string => path.join(projectState(cwd, environment), 'task');

/** The manifest of each task is read for its tag, up to this number of tasks. */
const MOST_TASKS = 2_000;
const MOST_HEAD = 4_096;

function callsOf(id: string, tag: string, project: ServedProject): SessionCall[] {
  const folder = tasksIn(project);
  const tasks = namesIfAny(folder)
    .slice(0, MOST_TASKS)
    .filter((name) => name === tag || namesTag(path.join(folder, name), tag));
  return tasks.flatMap((name) => callsIn(name, id, project)).sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Only the calls decide whether a task belongs to the session. */
function namesTag(root: string, tag: string): boolean {
  const [manifest] = manifestsIn(root);
  try {
    return manifest !== undefined && readHead(manifest, MOST_HEAD).text.includes(tag);
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

function callsIn(name: string, id: string, project: ServedProject): SessionCall[] {
  const read = callsOfTask(name, project);
  if (read === null) return [];
  return read.calls.flatMap((call) => {
    if (findRecord(read.task, call)?.session_id !== id) return [];
    const { stage, attempt, at } = call.reserved;
    return [{ task_id: read.task.id, stage, attempt, at, class: call.verdict?.class ?? null }];
  });
}

type MadeCalls = { task: TaskFolder; calls: Call[] } | null;

/** Returns null if there is no such task, or if its journal cannot be read, which its own page reports. */
function callsOfTask(name: string, project: ServedProject): MadeCalls {
  const task = foundTask(name, project);
  if ('how' in task) return null;
  try {
    return { task, calls: [...openJournal(task.root, project.clock).read().ledger.calls.values()] };
  } catch (error) {
    if (error instanceof JournalError || isSystemError(error)) return null;
    throw error;
  }
}
