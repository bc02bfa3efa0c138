// Implements tollgate sessions: lists the conversations that tags continue, and shows, adopts or forgets one.

import { adoptSession, type KnownSession, knownSessions, listAdoptable } from '../../../loops/session/adopt.ts';
import { allBackups, type Backup } from '../../../loops/session/backups.ts';
import { forgetSession } from '../../../loops/session/change-sessions.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { isTool, TOOLS, type Tool } from '../../../policies/facts/tools.ts';
import { KEPT_BACKUPS } from '../../../policies/session/reverted-turns.ts';
import { TAG, TAG_MUST } from '../../../policies/session/session-entry.ts';
import { visible } from '../../../policies/text/display.ts';
import { isSystemError, wayOutOf } from '../../../state/system-error.ts';
import { projectRoot, projectState } from '../../../state/task-folder.ts';
import { readArguments } from '../../command.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import { fitting, printing } from '../../printing.ts';
import type { Ran } from '../../ran.ts';
import { sheetOf } from '../../sheet.ts';
import { adoptableLines, backupLines, detailLines, sessionLines } from './sessions-page.ts';

const SPEC: CommandSpec = {
  name: 'tollgate sessions',
  usage: 'list | show TAG|ID | adopt TAG ID --tool TOOL | adopt --list | forget TAG | backups',
  about:
    'Shows which session of its CLI each tag (meta.feature, or the id of a task) continues: size, tokens, age, errors, health. Adopts or forgets a session. Lists the byte copies that undo and repair have made.',
  flags: {
    tool: { takes: 'choice', choices: TOOLS, about: 'only sessions of this CLI; adopt requires it' },
    list: {
      takes: 'nothing',
      about: 'with adopt: list the sessions that can be adopted; this starts gemini, which may pay a call for titles',
    },
  },
  words: { min: 1, max: 3, called: 'list, show, adopt, forget or backups' },
  examples: [
    ['tollgate sessions list', 'every tag and its sessions'],
    ['tollgate sessions show login', 'all that is known of them'],
    [
      'tollgate sessions adopt login 0199a213-81c0-7800-8aa1-bbab2a035a53 --tool codex',
      'continue in a session of your own',
    ],
    ['tollgate sessions forget login', 'the next task of the tag begins a fresh one'],
    ['tollgate sessions backups', 'which copies of conversations lie where, how large, and for how long'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'done'],
    [TOLLGATE_EXIT.failure, 'there is no such session, or the CLI could not be started'],
    [TOLLGATE_EXIT.badInput, 'usage; nothing was changed'],
  ],
};

/** Where the sessions are looked up. */
interface SessionsAsking {
  stateFolder: string;
  root: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const [word, ...words] = read.args.words;
  const cwd = process.cwd();
  const asking: SessionsAsking = {
    stateFolder: projectState(cwd, process.env),
    root: projectRoot(cwd),
    cwd,
    environment: process.env,
    clock: () => new Date(),
  };
  const verb = Object.hasOwn(VERBS, word!) ? VERBS[word as keyof typeof VERBS] : null;
  if (verb === null) return invalid(`list, show, adopt, forget or backups, not "${word}"`);
  try {
    return await verb(asking, read.args, words);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return {
      exit: TOLLGATE_EXIT.failure,
      err: noted([`${error.message}; nothing was changed. To continue, ${wayOutOf(error)}`]),
    };
  }
}

type Verb = (asking: SessionsAsking, args: Arguments, words: readonly string[]) => Promise<Ran>;

const VERBS: Record<'list' | 'show' | 'adopt' | 'forget' | 'backups', Verb> = {
  async list(asking, args, words) {
    if (words.length > 0) return invalid(`"${words[0]}" is one word too many`);
    return shown(await found(asking, args, null), args, (sessions) =>
      sessionLines(sessions, asking.clock(), sheetOf(asking.environment)),
    );
  },
  async show(asking, args, words) {
    if (words.length !== 1) return invalid('show takes one TAG or ID');
    return shown(
      await found(asking, args, words[0]!),
      args,
      (sessions) => detailLines(sessions, asking.clock(), sheetOf(process.env)),
      words[0],
    );
  },
  async adopt(asking, args, words) {
    if (args.given.has('list')) return adoptable(asking, args, words);
    const [tag, id] = words;
    const tool = toolOf(args);
    if (tag === undefined || id === undefined || tool === null)
      return invalid('adopt takes TAG ID --tool TOOL, or --list');
    if (!TAG.test(tag)) return invalid(`a tag ${TAG_MUST}`);
    const adopted = await adoptSession({ ...asking, tag, tool, id });
    if (adopted.how === 'invalid')
      return { exit: TOLLGATE_EXIT.failure, err: `tollgate sessions: ${adopted.message}\n` };
    const { entry, warnings } = adopted;
    return {
      ...formatAnswer(args, { schema: 1, tag, tool, entry }, `${tag} continues in ${tool} ${id}`),
      err: noted(warnings),
    };
  },
  async forget(asking, args, words) {
    if (words.length !== 1) return invalid('forget takes one TAG');
    const { forgotten, warnings } = await forgetSession({ ...asking, tag: words[0]!, tool: toolOf(args) });
    if (forgotten.length === 0)
      return { exit: TOLLGATE_EXIT.failure, err: noted([...warnings, `no session is kept for "${words[0]}"`]) };
    const lines = forgotten.map(({ tool, id }) => `forgot ${tool} ${id}; its file stays where its CLI keeps it`);
    return { ...formatAnswer(args, { schema: 1, tag: words[0], forgotten }, lines.join('\n')), err: noted(warnings) };
  },
  async backups({ environment, clock }, args, words) {
    if (words.length > 0) return invalid('backups takes no further word; --tool TOOL lists those of one CLI');
    const tool = toolOf(args);
    const backups = allBackups(environment).filter((each) => tool === null || each.tool === tool);
    const page = backupLines(backups, clock(), sheetOf(environment)).join('\n');
    const object: BackupsObject = { schema: 1, kept_days: KEPT_BACKUPS.days, backups };
    return { exit: TOLLGATE_EXIT.ok, out: args.given.has('json') ? `${JSON.stringify(object)}\n` : `${page}\n` };
  },
};

/** What `backups --json` prints. */
export interface BackupsObject {
  schema: 1;
  kept_days: number;
  backups: readonly Backup[];
}

async function adoptable(asking: SessionsAsking, args: Arguments, words: readonly string[]): Promise<Ran> {
  if (words.length > 0) return invalid('adopt --list takes no TAG');
  const tool = toolOf(args);
  const listed = await listAdoptable(asking, tool === null ? TOOLS : [tool], (sentence) => {
    if (!args.given.has('quiet'))
      printing('stderr').write(fitting(`tollgate sessions: ${sentence}\n`, printing('stderr')));
  });
  const exit = listed.problems.length > 0 && listed.sessions.length === 0 ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok;
  const without = listed.problems.length === 0 ? [] : ['a known id needs no list: adopt TAG ID --tool TOOL'];
  const err = noted([...listed.problems, ...without]);
  if (args.given.has('json')) return { exit, err, out: `${JSON.stringify({ schema: 1, ...listed })}\n` };
  return {
    exit,
    err,
    out:
      exit === TOLLGATE_EXIT.ok
        ? `${adoptableLines(listed.sessions, asking.clock(), sheetOf(asking.environment)).join('\n')}\n`
        : '',
  };
}

/** @param word a tag or an id; null for all. */
async function found(asking: SessionsAsking, args: Arguments, word: string | null) {
  const { sessions, warnings } = await knownSessions(asking);
  const tool = toolOf(args);
  const wanted = sessions.filter(
    (each) =>
      (tool === null || each.tool === tool) && (word === null || each.tag === word || each.entry.session_id === word),
  );
  return { sessions: wanted, warnings: warnings() };
}

/** What `list --json` and `show --json` print. */
export interface SessionsObject {
  schema: 1;
  sessions: readonly KnownSession[];
}

function shown(
  { sessions, warnings }: { sessions: KnownSession[]; warnings: readonly string[] },
  { given }: Arguments,
  render: (sessions: readonly KnownSession[]) => string[],
  word?: string,
): Ran {
  const err = noted(warnings);
  if (word !== undefined && sessions.length === 0) {
    const message = `no session is kept for "${word}"; tollgate sessions list shows all, and adopt --list what could be taken on`;
    return { exit: TOLLGATE_EXIT.failure, err: `${err}tollgate sessions: ${visible(message)}\n` };
  }
  const object: SessionsObject = { schema: 1, sessions };
  if (given.has('json')) return { exit: TOLLGATE_EXIT.ok, err, out: `${JSON.stringify(object)}\n` };
  return { exit: TOLLGATE_EXIT.ok, err, out: `${render(sessions).join('\n')}\n` };
}

const formatAnswer = ({ given }: Arguments, json: object, line: string): Ran => ({
  exit: TOLLGATE_EXIT.ok,
  out: given.has('json') ? `${JSON.stringify(json)}\n` : visible(`${line}\n`),
});

const toolOf = ({ text }: Arguments): Tool | null => (text.tool !== undefined && isTool(text.tool) ? text.tool : null);

const noted = (sentences: readonly string[]): string =>
  sentences.map((sentence) => `tollgate sessions: ${visible(sentence)}\n`).join('');

const invalid = (message: string): Ran => ({
  exit: TOLLGATE_EXIT.badInput,
  err: `tollgate sessions: ${visible(message)}\n`,
});
