// Makes each change with the same command as the terminal, or with the function behind it, and with the same refusals.

import { releaseHold } from '../../../loops/limits/holds.ts';
import type { WantedRun } from '../../../loops/report/carried-run.ts';
import { stopTask } from '../../../loops/report/stop-task.ts';
import { summariseSwept } from '../../../loops/upkeep/findings.ts';
import { isUnswept, type Swept } from '../../../loops/upkeep/swept.ts';
import { limitsFiles } from '../../../state/limits/limits-folder.ts';
import type { Actions, Changed } from '../../contract/actions.ts';
import { answerWith, type CommandResult, type Reply, refused, refusedBy, type ServedProject } from '../project.ts';
import { foundTask } from '../reads/task.ts';
import { bookWanted, resumeWanted, superviseWanted } from './begun.ts';

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
        return refused(409, `nothing of ${task} runs any more; nothing was changed`);
      case 'elsewhere':
        return refused(409, `${task} runs on ${stopped.host}, or in another container`, 'stop it there');
    }
  },

  async '/api/answer'({ task, answer }, project) {
    const found = foundTask(task, project);
    if ('how' in found) return found;
    const noted = await project.commands.change(['answer', '--later', '--', task, answer]);
    if (noted.exit !== 0) return refusedBy(noted);
    if (noted.object.state !== 'waiting') return done(sentence(noted));
    const went = await begun(project, superviseWanted(task, project), `${task} has the answer`);
    return went.how === 'refused'
      ? { ...went, message: `${task} has the answer, and did not go on: ${went.message}` }
      : went;
  },

  '/api/limits': ({ tool, per, unit, most }, { commands }) => {
    const flags = [`--per=${per}`, `--of=${unit}`, ...(tool === 'any' ? [] : [`--tool=${tool}`])];
    const argv = ['budget', ...flags, most === null ? '--unset' : `--set=${most}`];
    const says = most === null ? `There is no such budget any more.` : `At most ${most} ${unit} a ${per}.`;
    return changed(commands.change(argv), says);
  },

  async '/api/release'(hold, { environment, clock }) {
    const files = limitsFiles(environment);
    if (files === null) return refused(409, 'this user has no home in which holds are kept', 'set HOME to a folder');
    switch (await releaseHold(files, hold, clock)) {
      case 'released':
        return done(`${hold.tool} is not held back any more; the next call finds out.`);
      case 'none':
        return refused(409, 'there is no such hold any more');
      case 'busy':
        return refused(409, 'another process has the lock of the limits', 'try again in a moment');
    }
  },

  '/api/undo': ({ session }, { commands }) => changed(commands.change(['undo', session])),
  '/api/redo': ({ session, n }, { commands }) => changed(commands.change(['undo', session, `--redo=${n}`])),
  '/api/recover': ({ session, choice }, { commands }) =>
    changed(commands.change(['recover', session, `--choose=${choice}`])),

  async '/api/distill/start'(wish, project) {
    const wanted = bookWanted(wish, project);
    if (typeof wanted === 'string') return refused(409, wanted);
    return begun(project, wanted, 'The book was begun');
  },
  '/api/distill/pause': ({ name }, { commands }) => changed(commands.change(['distill', 'pause', name])),
  '/api/distill/stop': ({ name }, { commands }) => changed(commands.change(['distill', 'stop', name])),
  '/api/distill/resume': ({ name, accept = false }, project) =>
    begun(project, resumeWanted(name, accept ? 'accept' : 'ask_again', project), `${name} went on`),
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

/** @param what was done, whatever the result of the run. A run that stops again at once was started, and its cost stays. */
async function begun({ commands }: ServedProject, wanted: WantedRun, what: string): Promise<Reply> {
  const ended = await commands.begin(wanted);
  if (ended === null) return done(`${what}, and is at work.`);
  const { state, message, evidence } = ended.object;
  if (typeof state !== 'string' || typeof message === 'string') return refusedBy(ended);
  const why = typeof evidence === 'string' && evidence !== '' ? `: ${evidence}` : '.';
  return done(`${what}, and is ${state.replaceAll('_', ' ')} now${why}`);
}
