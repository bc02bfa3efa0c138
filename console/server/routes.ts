// Maps each address to the function that answers it.

import { collectHealth } from '../../loops/upkeep/collect-errors.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { projectState } from '../../state/task-folder.ts';
import type { Actions, PageShown } from '../contract/page.ts';
import { CHANGES, WISHES, wishMistake } from './changes/changes.ts';
import { manifestShown } from './changes/manifests.ts';
import type { follow } from './live.ts';
import { answerWith, type Reply, refused, refusedBy, type ServedProject } from './project.ts';
import { batchesShown, batchShown, comparisonShown, comparisonsShown } from './reads/comparisons.ts';
import { diffShown, diffsShown } from './reads/diffs.ts';
import { bookShown, booksShown, exportedBook } from './reads/distill.ts';
import {
  choicesShown,
  failuresShown,
  machineShown,
  nowShown,
  spentShown,
  supervisionsShown,
} from './reads/overviews.ts';
import { conversationShown, sessionsShown } from './reads/sessions.ts';
import { explainedShown, stillRunning, taskShown, textShown, workersSaid } from './reads/task.ts';
import { tailOfFile } from './reads/texts.ts';
import { heardIn } from './tail.ts';

interface Serving {
  project: ServedProject;
  live: ReturnType<typeof follow>;
  /** The page sends it back with each change. */
  pageToken: string;
}

type Read = (serving: Serving, ids: readonly string[], gone: AbortSignal) => Promise<Reply> | Reply;

/** `*`: any id; the reading function looks it up. */
const READS: readonly [address: string, read: Read][] = [
  ['api/page', ({ project, pageToken }) => answerWith(pageOf(project, pageToken))],
  [
    'api/now',
    async ({ live, project }) => {
      const rows = await live.lines.rows();
      const still = await stillRunning(rows);
      return answerWith(nowShown(await live.now(), rows, await workersSaid(rows, project), still, heardIn));
    },
  ],
  ['api/tasks', async ({ live }) => answerWith({ tasks: await live.lines.all() })],
  ['api/tasks/*', ({ project }, [id]) => taskShown(id!, project)],
  ['api/tasks/*/explain', ({ project }, [id]) => explainedShown(id!, project)],
  ['api/tasks/*/manifest', ({ project }, [id]) => manifestShown(id!, project)],
  ['api/tasks/*/diff', ({ project }, [id]) => diffsShown(id!, project)],
  ['api/tasks/*/diff/*', ({ project }, [id, stage]) => diffShown(id!, stage!, project)],
  ['api/tasks/*/texts/*', ({ project }, [id, name]) => textShown(id!, name!, project)],
  ['api/tasks/*/texts/*/end', ({ project }, [id, name]) => textShown(id!, name!, project, tailOfFile)],
  ['api/failures', async ({ live, project }) => answerWith(failuresShown(await live.lines.rows(), project.clock()))],
  ['api/budgets', ({ project }) => limits(project)],
  ['api/spent', async ({ live, project }) => answerWith(spentShown(await live.lines.spent(), project.clock()))],
  ['api/sessions', ({ project }) => sessionsShown(project)],
  ['api/sessions/*', ({ project }, [id]) => conversationShown(id!, project)],
  ['api/health', ({ project }) => health(project)],
  [
    'api/supervise',
    async ({ live, project }) => {
      const rows = await live.lines.rows();
      return answerWith(supervisionsShown(rows, await workersSaid(rows, project)));
    },
  ],
  ['api/compare', ({ project }) => comparisonsShown(project)],
  ['api/compare/*', ({ project }, [id], gone) => comparisonShown(id!, project, gone)],
  ['api/batch', ({ project }) => batchesShown(project)],
  ['api/batch/*', ({ project }, [id]) => batchShown(id!, project)],
  ['api/distill', ({ project }) => booksShown(project)],
  ['api/distill/*', ({ project }, [name]) => bookShown(name!, project)],
  ['api/distill/*/*', ({ project }, [name, wish], gone) => exportedBook(name!, wish!, project, gone)],
  ['api/machine', ({ project }) => machineShown(project)],
  ['api/fleet', ({ project }) => fleetShown(project)],
  ['api/choices', ({ project }) => choicesShown(project)],
  ['api/schema', ({ project }) => answerWith(JSON.parse(readRegular(project.schemaFile)))],
];

const ROUTES = READS.map(([address, read]) => ({ parts: address.split('/'), read }));

/** @returns null if nothing is read at that address. @param gone aborts when the requester no longer waits. */
export function readAt(parts: readonly string[], serving: Serving, gone: AbortSignal): Promise<Reply> | Reply | null {
  for (const route of ROUTES) {
    if (route.parts.length !== parts.length) continue;
    if (!route.parts.every((part, at) => part === '*' || part === parts[at])) continue;
    return route.read(
      serving,
      parts.filter((_, at) => route.parts[at] === '*'),
      gone,
    );
  }
  return null;
}

/** Returns the change of that address; null if there is none. */
export function changeAt(parts: readonly string[]): keyof Actions | null {
  const address = `/${parts.join('/')}`;
  return Object.hasOwn(WISHES, address) ? (address as keyof Actions) : null;
}

export async function make<P extends keyof Actions>(path: P, body: string, project: ServedProject): Promise<Reply> {
  let wish: unknown;
  try {
    wish = JSON.parse(body);
  } catch {
    return refused(400, 'the body is not JSON');
  }
  const mistake = wishMistake(path, wish);
  if (mistake !== null) return refused(400, `${mistake}; nothing was changed`);
  return CHANGES[path](wish as Actions[P], project);
}

function pageOf({ cwd, environment, version, fleet }: ServedProject, token: string): PageShown {
  return { token, folder: projectState(cwd, environment), version, fleet: fleet !== null };
}

async function fleetShown({ fleet }: ServedProject): Promise<Reply> {
  if (fleet === null) return refused(404, 'this console shows no fleet', 'start it as tollgate console --database URL');
  const read = await fleet();
  return read.how === 'read' ? answerWith(read.fleet) : refused(read.lasts === 'a while' ? 503 : 409, read.message);
}

async function limits({ commands }: ServedProject): Promise<Reply> {
  const shown = await commands.read(['budget']);
  return shown.exit === 0 ? answerWith(shown.object) : refusedBy(shown);
}

const HEALTH_MS = 30 * 86_400_000;

function health({ cwd, environment, clock }: ServedProject): Reply {
  const now = clock();
  const since = new Date(now.getTime() - HEALTH_MS).toISOString();
  const collected = collectHealth({ word: null, cwd, environment, now }, since);
  return collected.how === 'invalid' ? refused(409, collected.message) : answerWith(collected.value);
}
