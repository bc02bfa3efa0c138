// Defines the tools that pay: they begin a run, wait for it as long as a client can, find it by its id, and end it.

import {
  awaitEnd,
  begin,
  type CarriedStanding,
  carriedFolder,
  claim,
  end,
  endOfRun,
  notBegun,
  RUN_ID,
  removeOld,
  sayingsOf,
  standingOf,
  startsIn,
  type WantedRun,
} from '../../../loops/report/carried-run.ts';
import { endProcess } from '../../../loops/report/now.ts';
import { sweep } from '../../../loops/upkeep/sweep.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { TOOLS as CLIS, namedTools } from '../../../policies/facts/tools.ts';
import { withoutDatabase } from '../../../policies/gate/command-environment.ts';
import { PIPELINES, type PipelineName } from '../../../policies/manifest/pipelines.ts';
import { type BuiltInRole, ROLES } from '../../../policies/manifest/roles.ts';
import { readIfFit } from '../../../state/disk/regular-file.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { askForObject, endOf, objectIn } from '../../command.ts';
import { run as distill } from '../distill/distill.ts';
import { run as init } from '../init.ts';
import { run as answer } from '../supervise/answer.ts';
import { refusalWithin } from '../within-call.ts';
import { startCarrier } from './carrier.ts';
import { compareTools } from './compare-tools.ts';
import { callWanted, distillWanted, supervisionWanted, taskWanted } from './requests.ts';
import { answerOfRun, refused } from './run-object.ts';
import {
  ACCESS,
  DOLLARS,
  type FieldSchema,
  GIVES,
  giving,
  LIST,
  type McpTool,
  OBJECT,
  type ServerSettings,
  TASK,
  type ToolCaller,
  type ToolResult,
  taking,
  WAIT,
  WORD,
} from './tool.ts';
import { inTurn, verbTool } from './verb.ts';

const RUN: FieldSchema = { type: 'string', pattern: RUN_ID.source, description: 'run_id of an earlier answer' };

export const RUNS: readonly McpTool[] = [
  {
    name: 'run_task',
    title: 'Run a task',
    about:
      'Runs the stages of a task that are not done, with its budget, gates and retries; may pay. Answers with the result, or with state "running" and a run_id to wait for. While it runs, the same request waits for the same run.',
    takes: taking(
      {
        task: TASK,
        redo: {
          ...{ type: 'array', maxItems: 50, items: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,127}$' } },
          description: 'stages to pay for once more, though they are done',
        },
        keep: {
          ...{ type: 'array', maxItems: 50, items: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,127}$' } },
          description: 'stages whose answers are kept, though their prompts have changed',
        },
        recheck: {
          type: 'boolean',
          description: 'pay for nothing: look at the finished stages again, on the tree as it is now',
        },
        wait_ms: WAIT,
      },
      'task',
    ),
    gives: GIVES,
    changes: 'something',
    callsModel: true,
    act: (given, caller) => beginAndWait(taskWanted(given, caller.server), given, caller),
  },
  {
    name: 'ask',
    title: 'Ask one CLI',
    about:
      'Sends one prompt to one agent CLI, guarded, paid once. Returns its answer, or state "running" and a run_id to wait for. The same prompt again returns the existing answer, unless `again`.',
    takes: taking(
      {
        cli: {
          type: 'string',
          pattern: '^[a-z][a-z0-9_-]{0,63}$',
          description: `${namedTools('or')}, or one that tollgate.yaml describes`,
        },
        prompt: { type: 'string', maxLength: 2_000_000 },
        access: {
          type: 'string',
          enum: ACCESS,
          description: 'what it may do; default: read; no more than the server allows',
        },
        allow_commit: { type: 'boolean', description: 'let it commit; access must be write or full' },
        model: { type: 'string', pattern: '^[A-Za-z0-9][^\\n\\r]{0,127}$' },
        session: {
          type: 'string',
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
          description: 'resume this session of the CLI',
        },
        task: { ...TASK, description: 'the task whose budget pays' },
        timeout_s: { type: 'integer', minimum: 1, maximum: 86_400, description: 'end the call after this time' },
        max_tokens: { type: 'integer', minimum: 1, description: 'end the call before a request beyond these tokens' },
        max_usd: { ...DOLLARS, description: 'the same in dollars; needs the price of the model' },
        account: {
          type: 'string',
          pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
          description: "an account of the user's settings",
        },
        schema: { type: 'object', description: 'a JSON Schema: the answer is JSON that fits it, or the call fails' },
        again: { type: 'boolean', description: 'pay again for a question that is already answered' },
        wait_ms: WAIT,
      },
      'cli',
      'prompt',
    ),
    gives: GIVES,
    changes: 'something',
    callsModel: true,
    act: (given, caller) => beginAndWait(callWanted(given, caller.server), given, caller),
  },
  verbTool({
    name: 'create_task',
    title: 'Create a task',
    about:
      'Writes a new task with its manifest, and starts nothing. It never overwrites an existing task. A task that changes the working folder needs a server that allows it.',
    takes: taking(
      {
        task: { ...TASK, description: 'the id of the new task' },
        goal: { type: 'string', maxLength: 20_000, description: 'what is to be achieved, in a sentence or two' },
        pipeline: {
          ...{ type: 'string', pattern: '^[a-z][a-z0-9_-]{0,63}$' },
          description: `a named list of stages: ${Object.keys(PIPELINES).join(', ')}, or one of the project; without it one stage that writes a brief`,
        },
        supervise: {
          type: 'boolean',
          description: 'a worker and a reasoner in place of stages: start it with supervise',
        },
        max_calls: { type: 'integer', minimum: 1, maximum: 1000, description: 'paid calls at most; 10 by default' },
      },
      'task',
      'goal',
    ),
    gives: giving({ task_id: WORD, folder: WORD, files: LIST, next_call: OBJECT }),
    changes: 'something',
    run: init,
    refuses: creationMistake,
    argv: ({ task, goal, pipeline, supervise, max_calls: most }) => [
      ...[String(task), `--goal=${goal}`, '--no-ask'],
      ...(pipeline === undefined ? [] : [`--pipeline=${pipeline}`]),
      ...(supervise === true ? ['--supervise'] : []),
      ...(most === undefined ? [] : [`--budget=${most}`]),
    ],
    tells: ({ task_id, folder, files }, { supervise }) => ({
      ...{ task_id, folder, files },
      next_call: { tool: supervise === true ? 'supervise' : 'run_task', arguments: { task: task_id } },
    }),
  }),
  {
    name: 'supervise',
    title: 'Supervise a task',
    about:
      'Starts or continues a supervised task: a worker CLI carries out the instructions of a reasoner CLI, step by step; may pay. Answers with the result, with the question that the reasoner has for a person, or with state "running" and a run_id to wait for.',
    takes: taking({ task: TASK, wait_ms: WAIT }, 'task'),
    gives: GIVES,
    changes: 'something',
    callsModel: true,
    act: (given, caller) => beginAndWait(supervisionWanted(String(given.task), caller.server), given, caller),
  },
  {
    name: 'answer',
    title: 'Answer a question',
    about:
      'Sends the answer of the user to a supervised task, and continues it; may pay. A task that waits for no answer gets it as a note in its next iteration.',
    takes: taking(
      {
        task: TASK,
        text: { type: 'string', maxLength: 60_000, description: 'the answer, in the words of the user' },
        wait_ms: WAIT,
      },
      'task',
      'text',
    ),
    gives: GIVES,
    changes: 'something',
    callsModel: true,
    act: answered,
  },
  {
    name: 'distill',
    title: 'Distil a book',
    about:
      'Distils a long document of the project section by section, one paid call each; or continues one by its name. Answers with the result, or with state "running" and a run_id to wait for.',
    takes: taking({
      book: {
        ...{ type: 'string', pattern: '^[^/~-][^\\n\\r]*$', maxLength: 4096 },
        description: 'a PDF, EPUB or text of the project, to begin; the same again continues it',
      },
      name: { ...TASK, description: 'a distillation, to continue: the file name of its book without the ending' },
      pause: { type: 'boolean', description: 'with name alone: end it after the answer that is being paid' },
      prompt: { type: 'string', maxLength: 1_000_000, description: 'the instruction; default: a general one' },
      model: { type: 'string', pattern: '^[A-Za-z0-9][^\\n\\r]{0,127}$' },
      via: { type: 'string', enum: CLIS, description: 'by this CLI, instead of an API: for an EPUB or a text' },
      max_calls: { type: 'integer', minimum: 1, maximum: 100_000, description: 'paid calls at most; default: 2000' },
      max_usd: { ...DOLLARS, description: 'stop once it has cost so many dollars' },
      wait_ms: WAIT,
    }),
    gives: GIVES,
    changes: 'something',
    callsModel: true,
    act: (given, caller) =>
      given.pause === true ? paused(given) : beginAndWait(distillWanted(given, caller.server), given, caller),
  },
  ...compareTools(beginAndWait),
  {
    name: 'wait',
    title: 'Wait for a run',
    about:
      'Waits for the end of a run of run_task, supervise, answer, distill, compare or ask, and gives its result, also of a server that was ended before.',
    takes: taking({ run_id: RUN, wait_ms: WAIT }, 'run_id'),
    gives: GIVES,
    changes: 'nothing',
    act: ({ run_id, wait_ms }, caller) => waited(String(run_id), wait_ms, caller),
  },
  {
    name: 'cancel_run',
    title: 'End a run',
    about:
      'Ends a run and all processes that it started, as TERM would; the same request continues from there. To stop waiting, cancel_run is not needed.',
    takes: taking({ run_id: RUN, wait_ms: WAIT }, 'run_id'),
    gives: GIVES,
    changes: 'something',
    act: ({ run_id, wait_ms }, caller) => cancelled(String(run_id), wait_ms, caller),
  },
];

/** A task that may change the working folder needs the access that `ask` needs for the same. */
function creationMistake({ pipeline, supervise }: Record<string, unknown>, { access }: ServerSettings): string | null {
  const name = pipeline === undefined ? null : String(pipeline);
  const reads = name === null || (Object.hasOwn(PIPELINES, name) && PIPELINES[name as PipelineName].every(onlyReads));
  if (access !== 'read' || (reads && supervise !== true)) return null;
  return `this server allows tasks that read alone; the user allows more by registering it with: tollgate mcp --access write`;
}

const onlyReads = ({ role }: { role: BuiltInRole }): boolean => ROLES[role].access === 'read';

async function answered(given: Record<string, unknown>, caller: ToolCaller): Promise<ToolResult> {
  const task = String(given.task);
  const words = ['--later', '--json', '--', task, String(given.text)];
  const { exit, out, err } = await inTurn('something', () =>
    endOf({ run: answer, failure: TOLLGATE_EXIT.failure }, words),
  );
  const object = objectIn(out ?? '', err ?? '');
  if (exit !== TOLLGATE_EXIT.ok) return refused(String(object.message));
  if (object.state === 'waiting') return beginAndWait(supervisionWanted(task, caller.server), given, caller);
  return { how: 'done', object: { state: 'noted', task, task_state: object.state, message: object.message } };
}

async function paused({ name, ...others }: Record<string, unknown>): Promise<ToolResult> {
  if (name === undefined || Object.keys(others).some((key) => key !== 'pause' && key !== 'wait_ms'))
    return refused('`pause` needs `name`, and nothing else');
  const { exit, object } = await inTurn('something', () => askForObject(distill, ['pause', String(name)]));
  return exit === TOLLGATE_EXIT.ok ? { how: 'done', object } : refused(String(object.message));
}

const folderNow = (): string => carriedFolder(process.cwd(), process.env);

async function beginAndWait(
  wanted: WantedRun | string,
  { wait_ms }: Record<string, unknown>,
  caller: ToolCaller,
): Promise<ToolResult> {
  if (typeof wanted === 'string') return refused(wanted);
  const folder = folderNow();
  const self = (await identify(process.pid))!;
  const atWork = startsIn(folder).filter(({ run_id }) => endOfRun(folder, run_id) === null);
  const running = (await Promise.all(atWork.map(({ run_id }) => standingOf(folder, run_id, new Date())))).filter(
    ({ how }) => how === 'running',
  );
  const isMet = atWork.some(({ asks }) => asks === wanted.asks);
  if (running.length >= caller.server.maxRuns && !isMet)
    return refused(`${running.length} runs are at work, as many as this server begins at once; wait for one of them`);
  removeOld(folder, new Date());
  const begun = await begin(folder, wanted, self, () => new Date());
  const { database } = caller.server;
  if (begun.how === 'added')
    startCarrier(folder, begun.run, self, database === null ? process.env : withoutDatabase(process.env));
  const answer = await waited(begun.run, wait_ms, caller);
  return begun.how === 'found' ? { ...answer, object: { ...answer.object, asked_before: true } } : answer;
}

/** Looks for answers that were paid for and lost, before another call is paid. */
async function sweepHere(): Promise<void> {
  if ((await refusalWithin('sweep')) !== null) return;
  await sweep({ cwd: process.cwd(), environment: process.env, working: 'wait', clock: () => new Date() });
}

async function waited(run: string, waitMs: unknown, { signal, tell }: ToolCaller): Promise<ToolResult> {
  const folder = folderNow();
  const progress = progressOf(folder, run, tell);
  const standing = await awaitEnd({
    ...{ folder, run, stop: signal, atMostMs: waitMs === undefined ? WAIT_MS : Number(waitMs) },
    tick: progress,
  });
  // Reports the messages since the last tick.
  progress(0);
  if (standing.how !== 'lost' || standing.start.what !== 'ask') return answerOfRun(run, standing);
  await sweepHere();
  return answerOfRun(run, await standingOf(folder, run, new Date()));
}

const WAIT_MS = 30_000;
const TELL_MS = 3000;

/** Reports each message of the run once and in order, and repeats the last one meanwhile, to show activity. */
function progressOf(folder: string, run: string, tell: ToolCaller['tell']): (elapsedMs: number) => void {
  let sent = reportedLines.get(run) ?? 0;
  let progress = 0;
  let next = TELL_MS;
  return (elapsedMs) => {
    if (tell === null) return;
    // A distillation also prints its events as JSON.
    const lines = (readIfFit(sayingsOf(folder, run)) ?? '')
      .split('\n')
      .slice(0, -1)
      .filter((line) => !line.startsWith('{'));
    const isQuiet = lines.length <= sent;
    if (isQuiet && elapsedMs < next) return;
    next = elapsedMs + TELL_MS;
    for (const line of isQuiet ? [lines.at(-1) ?? 'it runs'] : lines.slice(sent).slice(-MOST_AT_ONCE)) {
      // The progress must grow with each message.
      progress = Math.max(progress + 1, Math.round(elapsedMs / 1000));
      tell(progress, line);
    }
    sent = lines.length;
    reportedLines.set(run, sent);
  };
}

/** The number of reported lines by run: a client that waits again does not get the same lines again. */
const reportedLines = new Map<string, number>();

/** A client that connects late gets the latest messages. */
const MOST_AT_ONCE = 50;

async function cancelled(run: string, waitMs: unknown, caller: ToolCaller): Promise<ToolResult> {
  const folder = folderNow();
  const standing: CarriedStanding = await standingOf(folder, run, new Date());
  if (standing.how === 'running') {
    const self = (await identify(process.pid))!;
    if (standing.pid !== null) endProcess(standing.pid);
    else if (claim(folder, run, self)) end(folder, run, notBegun(new Date(), 'it was cancelled'));
    else return cancelled(run, waitMs, caller);
  }
  return waited(run, waitMs, caller);
}
