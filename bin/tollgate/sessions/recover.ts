// Implements tollgate recover: makes a conversation usable again that its service refuses.

import { existsSync } from 'node:fs';
import { markRepaired } from '../../../loops/session/change-sessions.ts';
import { healthLines, healthOf, type SessionHealth } from '../../../loops/session/health.ts';
import { failedSession } from '../../../loops/session/locate.ts';
import { CHOICES, type Choice, LONG_CHOICES, recover } from '../../../loops/session/recovery.ts';
import { waitUntilIdle } from '../../../loops/session/wait-until-idle.ts';
import manifest from '../../../package.json';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import { environmentsOfAccounts } from '../../../state/accounts.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { locateTask } from '../../../state/task-folder.ts';
import { adapterOf } from '../../../wrappers/adapters.ts';
import type { SessionFile } from '../../../wrappers/sessions/store.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { inUse, TOOL_FLAG, unreadable, type Which, waitingSay, whichSession } from './which-session.ts';

const SPEC: CommandSpec = {
  name: 'tollgate recover',
  usage: 'SESSION|TASK [--choose rollback|clear|export|ignore]',
  about:
    'Repairs a conversation that its service refuses. On a terminal it shows the problem and asks what to do; elsewhere --choose decides. tollgate undo --redo brings back the removed turns.',
  flags: {
    choose: {
      takes: 'choice',
      choices: Object.keys(CHOICES),
      alsoTakes: Object.keys(LONG_CHOICES),
      about: describeChoices(),
    },
    tool: TOOL_FLAG,
  },
  words: {
    min: 1,
    max: 1,
    called: 'SESSION (an id, at least its first 7 digits, or a tag) or TASK (an id, or a path with a /)',
  },
  examples: [
    ['tollgate recover fix-login', "the session of the task's last failing call: what is wrong, and a menu"],
    ['tollgate recover 01a1ffb7 --choose rollback', 'back to before the last prompt'],
    ['tollgate recover 01a1ffb7 --choose export --json', 'a file with all that is known; changes nothing'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'done, or nothing to change'],
    [TOLLGATE_EXIT.failure, 'not done: the session is in use, was changed meanwhile, or would be empty'],
    [
      TOLLGATE_EXIT.badInput,
      'no such session or task, a file that cannot be read, or no terminal to ask on and no --choose',
    ],
    ['130, 143', 'stopped by INT, TERM'],
  ],
};

/** @param message what the service said about the session, if a run has just received it. */
export async function run(argv: readonly string[], message: string | null = null): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  try {
    const which = await sessionOrTask(args);
    if (which.how === 'invalid') return refusal(which.message, TOLLGATE_EXIT.badInput);
    return await recoverIn({ ...which, said: message ?? which.said ?? null }, args);
  } catch (error) {
    return refusal(unreadable(error), TOLLGATE_EXIT.badInput);
  }
}

type Found = Which & { task?: string; said?: string | null };

/** Finds the session of a tag or id, or of a task. If both exist, the tag of a session takes precedence over the id of a task. */
async function sessionOrTask(args: Arguments): Promise<Found> {
  const word = args.words[0]!;
  const which: Found = word.includes('/') ? { how: 'invalid', message: '' } : await whichSession(args);
  if (which.how === 'found') return which;
  const located = locateTask(word, process.cwd(), process.env);
  if (located.how === 'invalid' || !existsSync(located.folder.root))
    return word.includes('/')
      ? { how: 'invalid', message: located.how === 'invalid' ? located.message : `there is no task at ${word}` }
      : { how: 'invalid', message: `${which.message}; and there is no task of that id` };
  const failed = failedSession(located.folder);
  if (failed === null)
    return { how: 'invalid', message: `no call of ${located.folder.id} failed in a session that is known` };
  const { tool, sessionId, account, cwd } = failed;
  const accounts = account === undefined ? [] : await environmentsOfAccounts(process.env, cwd);
  const { environment } = accounts.find(({ name }) => name === account) ?? { environment: process.env };
  const store = await adapterOf(tool).sessions();
  const session = await store.find(sessionId, { environment, cwd });
  if (session === null)
    return {
      how: 'invalid',
      message: `${tool} has no file of the session ${sessionId}, in which ${located.folder.id} failed`,
    };
  return { how: 'found', store, session, environment, feature: null, task: located.folder.id, said: failed.refusal };
}

const chosen = ({ text: { choose } }: Arguments): Choice | null =>
  choose === undefined ? null : (LONG_CHOICES[choose as keyof typeof LONG_CHOICES] ?? (choose as Choice));

async function recoverIn(which: Found & { how: 'found' }, args: Arguments): Promise<Ran> {
  const { store, session, environment } = which;
  const health = healthOf(store.open(session), environment);
  const choice = chosen(args) ?? (await ask(which, health, args));
  if (choice === null) {
    const lines = [
      `${session.tool} ${session.id}: choose what to do by --choose, since there is no terminal`,
      ...healthLines(health, environment, which.said).map((line) => `  ${line}`),
      'Choices:',
      ...Object.entries(CHOICES).map(([name, about]) => `  --choose ${name.padEnd(8)}  ${about}`),
    ];
    return refusal(lines.join('\n'), TOLLGATE_EXIT.badInput);
  }
  const lookup = { environment, cwd: process.cwd() };
  const recovering = {
    store,
    environment,
    cwd: process.cwd(),
    clock,
    holder: holderOf(which),
    version: manifest.version,
  };
  if (choice === 'export' || choice === 'ignore')
    return answerTo(await recover(choice, { ...recovering, session }), { choice, session, health }, args);
  const stop = stopOnSignals();
  const waiting = waitingSay('tollgate recover', args);
  const freed = await waitUntilIdle({ store, session, lookup, clock }, waiting.say, stop).finally(waiting.stop);
  if (freed.how === 'stopped') return refusal('stopped; nothing was changed', stopExit(stop));
  if (freed.how === 'refused') return refusal(inUse(session, freed.by), TOLLGATE_EXIT.failure);
  const recovered = await recover(choice, { ...recovering, session: freed.session }).finally(freed.release);
  const answer = answerTo(recovered, { choice, session, health }, args);
  const unhealed = recovered.how === 'edited' ? await heal(session) : null;
  return unhealed === null ? answer : { ...answer, err: `${answer.err ?? ''}tollgate recover: ${unhealed}\n` };
}

/** @returns a warning if the tag could not be marked as repaired. */
async function heal({ tool, id }: SessionFile): Promise<string | null> {
  try {
    await markRepaired({ environment: process.env, cwd: process.cwd(), clock, tool, id });
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `warning: sessions.json could not be written (${visible(error.message)}): the session is still marked as damaged there`;
  }
}

/** @returns null if no user can be prompted. */
async function ask(
  { session, said = null }: Found & { how: 'found' },
  health: ReturnType<typeof healthOf>,
  { given }: Arguments,
) {
  if (given.has('json') || process.stdin.isTTY !== true || process.stdout.isTTY !== true) return null;
  const { chooseRecovery } = await import('./recover-menu.ts');
  return chooseRecovery({ tool: session.tool, sessionId: session.id, health, refusal: said });
}

const holderOf = ({ feature, task }: Found & { how: 'found' }) => ({
  ...(task === undefined ? {} : { task }),
  ...(feature === null ? {} : { feature }),
});

function describeChoices(): string {
  return Object.entries(CHOICES)
    .map(([name, about]) => `${name}: ${about}`)
    .join('; ');
}

const clock = () => new Date();

interface About {
  choice: Choice;
  session: SessionFile;
  /** The health before the recovery. */
  health: SessionHealth;
}

function answerTo(
  recovered: Awaited<ReturnType<typeof recover>>,
  { choice, session, health }: About,
  { given }: Arguments,
): Ran {
  const done = recovered.how === 'edited' || recovered.how === 'left' || recovered.how === 'exported';
  const exit = done ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure;
  const says = 'says' in recovered ? recovered.says : recovered.why;
  const redo = `tollgate undo ${session.id} --redo`;
  const isRevertible = recovered.how === 'edited' && recovered.what !== 'mended';
  if (given.has('json')) {
    const object = {
      schema: 1,
      tool: session.tool,
      session_id: session.id,
      session_file: session.file,
      choice,
      how: recovered.how,
      says,
      flaws: health.flaws,
      turns: health.turns,
      edit: recovered.how === 'edited' ? recovered.edit : null,
      reverted: recovered.how === 'edited' ? recovered.reverted : 0,
      file: recovered.how === 'exported' ? recovered.file : null,
      redo: isRevertible ? redo : null,
    };
    return { exit, out: `${JSON.stringify(object)}\n` };
  }
  if (recovered.how === 'refused') return refusal(says, exit);
  const line = `${session.tool} ${session.id}: ${visible(says)}`;
  return { exit, out: `${[line, ...(isRevertible ? [`Bring it back: ${redo}`] : [])].join('\n')}\n` };
}

const refusal = (message: string, exit: number): Ran => ({ exit, err: `tollgate recover: ${message}\n` });
