// Implements tollgate submit, worker and fleet: the same tasks on many machines. Loaded only by them.

import path from 'node:path';
import * as fleets from '../../fleet/fleet.ts';
import { unmarkSubmitted } from '../../loops/task/claim.ts';
import { plainOptions } from '../../loops/task/run-options.ts';
import manifest from '../../package.json';
import { stopExit, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { isTool, namedTools, type Tool } from '../../policies/facts/tools.ts';
import { withoutDatabase } from '../../policies/gate/command-environment.ts';
import { shellWord } from '../../policies/text/display.ts';
import { locateTask, projectRoot } from '../../state/task-folder.ts';
import { areTrustedTasks } from '../../state/trusted-folders.ts';
import { readArguments, stopOnSignals } from '../command.ts';
import type { Arguments, CommandSpec, FlagRow } from '../command-line.ts';
import { printing } from '../printing.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { fleetPage, inFleet, limitsPage, withDatabase } from './fleet-views.ts';
import { contextOf } from './run-flags.ts';

const DATABASE: FlagRow = {
  takes: 'text',
  about: 'the address of the database; default, and with -: TOLLGATE_DATABASE, which no other user of the machine sees',
};

const EXITS = [
  [TOLLGATE_EXIT.ok, 'done'],
  [TOLLGATE_EXIT.failure, 'the database cannot be reached, or the disk of a worker is full'],
  [TOLLGATE_EXIT.badInput, 'usage, or something that the message names; nothing was paid'],
  ['130, 143', 'stopped by INT, TERM'],
  [70, 'an internal error'],
] as const;

const SUBMIT: CommandSpec = {
  name: 'tollgate submit',
  usage: 'TASK… [options]',
  about:
    'Sends tasks to the workers of a fleet. The tree travels by git, as a commit that its remote has; the inputs of the task travel as a bundle. Checks all tasks before it sends one.',
  flags: {
    database: DATABASE,
    pool: { takes: 'text', default: 'default', about: 'the budget that pays, as tollgate fleet limits sets it' },
    priority: { takes: 'number', default: 0, max: 1000, about: 'tasks with a higher number begin first' },
    'on-lost': {
      takes: 'choice',
      choices: ['stop', 'retry'],
      default: 'stop',
      about: 'if its worker is lost: stop, or run it on another machine, although a call may be paid twice',
    },
    patch: { takes: 'nothing', about: 'send uncommitted changes of the tree too; without it they are refused' },
    shared: { takes: 'text', about: 'put bundles and results of any size into this folder, which all machines have' },
    again: {
      takes: 'nothing',
      about: 'send a lost or stopped task once more, although a call of it may have been paid',
    },
    'trust-workspace': { takes: 'nothing', about: 'let the CLIs use the hooks and servers of the checkout' },
  },
  words: { min: 1, max: Number.MAX_SAFE_INTEGER, called: 'TASK (ids, or paths with a /)' },
  examples: [
    ['tollgate submit fix-login fix-logout', 'two tasks, for any worker'],
    ['tollgate submit fix-login --patch --on-lost retry', 'with uncommitted changes; again if its machine is lost'],
  ],
  exits: EXITS,
};

const WORKER: CommandSpec = {
  name: 'tollgate worker',
  usage: '[options]',
  about:
    'Takes tasks of the fleet and runs them on this machine, each in its own checkout. Whoever may submit tasks can run programs here. Stops with TERM: tasks that run continue when a worker with the same folder starts.',
  flags: {
    database: DATABASE,
    tools: { takes: 'text', about: 'take only tasks that need no other CLIs than these (a,b)' },
    concurrency: { takes: 'number', default: 1, min: 1, max: 64, about: 'the number of tasks at the same time' },
    folder: { takes: 'text', about: 'keep checkouts and journals here; one worker for each folder' },
    'lease-seconds': {
      takes: 'number',
      default: 30,
      // A quarter must be enough to end a CLI that ignores TERM for two seconds.
      min: 12,
      max: 3600,
      about: 'after this time without the database another worker may take over; calls end after three quarters of it',
    },
    'tag-wait': {
      takes: 'number',
      default: 120,
      max: 86_400,
      about:
        'for so many seconds leave a task to the machine that ran the last task of its tag; then begin it with a hand-off',
    },
    'until-empty': { takes: 'nothing', about: 'end when no task is queued' },
  },
  words: { min: 0, max: 0, called: '' },
  examples: [
    ['tollgate worker', 'one task at a time, until it is stopped'],
    ['tollgate worker --tools codex,claude --concurrency 4 --folder /var/lib/tollgate', 'four at a time'],
  ],
  exits: EXITS,
};

const FLEET: CommandSpec = {
  name: 'tollgate fleet',
  usage: 'status|cancel|drain|fetch|limits|setup [TASK|WORKER] [options]',
  about:
    'Shows and controls a fleet. setup creates the tables. status shows tasks, workers, limits and budgets. cancel ends a task. drain lets workers finish. fetch brings back the result of a task. limits sets budgets and rates for all machines.',
  flags: {
    database: DATABASE,
    push: { takes: 'nothing', about: 'with fetch: push the changes of the task as the branch tollgate/TASK' },
    print: { takes: 'nothing', about: 'with setup: print the SQL of the tables and roles, and change nothing' },
    day: { takes: 'number', about: 'with limits: paid calls of the fleet in a day (UTC); 0 removes the limit' },
    'pool-calls': { takes: 'texts', about: 'with limits: POOL=N, the paid calls of a pool; 0 removes it (repeatable)' },
    'at-once': { takes: 'texts', about: 'with limits: TOOL=N or TOOL@ACCOUNT=N, calls at the same time (repeatable)' },
    'per-minute': { takes: 'texts', about: 'with limits: TOOL=N or TOOL@ACCOUNT=N, calls in a minute (repeatable)' },
    'lift-hold': { takes: 'texts', about: 'with limits: end the hold of TOOL or TOOL@ACCOUNT now (repeatable)' },
  },
  words: { min: 1, max: 2, called: 'status, cancel, drain, fetch, limits or setup' },
  examples: [
    ['tollgate fleet setup', 'create or update the tables, as the owner of the database'],
    ['tollgate fleet status', 'what is queued, running, lost and done'],
    ['tollgate fleet limits --at-once codex=3 --day 500', 'for all workers together'],
    ['tollgate fleet fetch fix-login --push', 'the result, and a branch with the changes'],
  ],
  exits: EXITS,
};

type Act = (given: { args: Arguments; stop: AbortSignal }) => Promise<Ran>;

/** Runs an act of the fleet; its refusals are sentences. */
function commandOf(spec: CommandSpec, act: Act) {
  return async (argv: readonly string[]): Promise<Ran> => {
    const stop = stopOnSignals();
    const read = await readArguments(spec, argv, TOLLGATE_EXIT.badInput);
    return read.how === 'ended' ? read.ran : inFleet(spec.name, () => act({ args: read.args, stop }));
  };
}

export const submit = commandOf(SUBMIT, ({ args, stop }) =>
  withDatabase(args, async (database) => {
    const { text, number, given, words } = args;
    const sent = await fleets.submitTasks({
      database,
      words,
      pool: text.pool!,
      priority: number.priority!,
      onLost: text['on-lost'] as 'stop' | 'retry',
      changes: given.has('patch') ? 'patch' : 'refused',
      shared: text.shared === undefined ? null : path.resolve(text.shared),
      again: given.has('again'),
      options: {
        ...plainOptions(),
        trustWorkspace: given.has('trust-workspace') || areTrustedTasks(words, process.cwd(), process.env),
      },
      context: contextOf(stop),
    });
    if (given.has('json')) return { exit: 0, out: `${JSON.stringify({ schema: 1, tasks: sent })}\n` };
    const err = sent.flatMap(({ task, warnings }) => warnings.map((warning) => `${task}: ${warning}\n`)).join('');
    const lines = sent.map(
      ({ task, id, bytes }) => `${task} is queued as ${id} (${Math.ceil(bytes / 1024)} kB of inputs)\n`,
    );
    return { exit: 0, out: lines.join(''), err };
  }),
);

/** pg-boss names this as its own minimum. */
const NODE_OF_QUEUE = [22, 12] as const;

export const worker = commandOf(WORKER, ({ args, stop }) => {
  const { text, number, given } = args;
  const tools = text.tools?.split(',').map((word) => word.trim()) ?? null;
  const unknown = tools?.find((tool) => !isTool(tool));
  if (unknown !== undefined)
    throw new fleets.FleetRefusal(`--tools takes names of CLIs (${namedTools('and')}), not "${unknown}"`);
  const stream = printing('stderr');
  const say = (sentence: string) => given.has('quiet') || stream.write(`tollgate worker: ${sentence}\n`);
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  if (major < NODE_OF_QUEUE[0] || (major === NODE_OF_QUEUE[0] && minor < NODE_OF_QUEUE[1]))
    say(
      `warning: Node ${process.versions.node} is older than pg-boss asks for (${NODE_OF_QUEUE.join('.')}); Tollgate tests it`,
    );
  const environment = withoutDatabase(process.env);
  return withDatabase(
    args,
    async (database) => {
      const end = await fleets.work({
        database,
        tools: tools as Tool[] | null,
        concurrency: number.concurrency!,
        folder: text.folder,
        leaseSeconds: number['lease-seconds']!,
        tagWait: number['tag-wait']!,
        version: manifest.version,
        untilEmpty: given.has('until-empty'),
        context: { ...contextOf(stop, { say, watch: () => {} }), environment },
      });
      const { done, failed, interrupted } = end;
      const out = given.has('json')
        ? `${JSON.stringify({ schema: 1, ...end })}\n`
        : `${done} done, ${failed} failed, ${interrupted} interrupted\n`;
      return { exit: stop.aborted ? stopExit(stop) : TOLLGATE_EXIT.ok, out };
    },
    4 + number.concurrency!,
  );
});

export const fleet = commandOf(FLEET, async (given) => {
  const { args } = given;
  const [verb, name] = args.words as [string, string?];
  if (!Object.hasOwn(ACTS, verb)) return badInputOf(FLEET.name)(`"${verb}" is none of ${Object.keys(ACTS).join(', ')}`);
  const needsName = verb === 'cancel' || verb === 'fetch';
  if (needsName && name === undefined) return badInputOf(FLEET.name)(`${verb} needs the name of a task`);
  if (!needsName && verb !== 'status' && verb !== 'drain' && name !== undefined)
    return badInputOf(FLEET.name)(`"${name}" is one word too many`);
  if (verb === 'setup' && args.given.has('print')) return { exit: 0, out: fleets.setupText() };
  return withDatabase(args, (database) => ACTS[verb]!({ ...given, database, name: name ?? null }));
});

function hereOf(stop: AbortSignal): { root: string; environment: NodeJS.ProcessEnv } {
  const { environment, cwd } = contextOf(stop);
  return { root: projectRoot(cwd), environment };
}

interface FleetAct {
  args: Arguments;
  stop: AbortSignal;
  database: ReturnType<typeof fleets.openDatabase>;
  name: string | null;
}

const ACTS: Record<string, (act: FleetAct) => Promise<Ran>> = {
  status: async ({ args, database, name }) => {
    await fleets.checkDatabase(database, 'read');
    const status = await fleets.fleetStatus(database, { names: name === null ? [] : [name] });
    return { exit: 0, out: args.given.has('json') ? `${JSON.stringify(status)}\n` : fleetPage(status) };
  },
  cancel: async ({ args, database, name, stop }) => {
    await fleets.checkDatabase(database, 'submit');
    const { id, state } = await fleets.cancelTask(database, name!, hereOf(stop));
    const sentence =
      state === 'running' ? `${name} (${id}) ends within seconds; then fetch it` : `${name} (${id}) is cancelled`;
    return answered(args, { id, state }, sentence);
  },
  drain: async ({ args, database, name }) => {
    await fleets.checkDatabase(database, 'submit');
    const workers = await fleets.drainWorkers(database, name);
    return answered(
      args,
      { workers },
      `${workers.join(', ')}: no new task begins there, and the worker ends after those that run`,
    );
  },
  fetch: async ({ args, database, name, stop }) => {
    await fleets.checkDatabase(database, 'read');
    const { environment, cwd, clock } = contextOf(stop);
    const { root } = hereOf(stop);
    const { id, packed } = await fleets.resultOf(database, name!, { root, environment });
    // A stranger's row names a place within the project.
    const isOutside = /^(?:\/|\.\.(?:\/|$))/.test(path.normalize(packed.place));
    const located = locateTask(isOutside ? packed.task : `./${packed.place}`, root, environment);
    if (located.how === 'invalid') throw new fleets.FleetRefusal(located.message);
    const { patch, lost, files } = fleets.unpackResult(packed, { folder: located.folder.root, root });
    unmarkSubmitted(located.folder, id);
    const notes = [...packed.omitted, ...(await fleets.differences(database, id, located.folder, clock))];
    const pushed =
      args.given.has('push') && patch !== null
        ? await fleets.pushResult({
            packed,
            root,
            patch: path.join(located.folder.root, patch),
            message: `tollgate: ${packed.task}`,
            environment,
            halt: stop,
          })
        : null;
    const lines = [
      `${files} files of ${packed.task} are in ${located.folder.root}`,
      ...(patch === null
        ? [lost === null ? 'the task changed nothing in the tree' : 'what the task changed is not here']
        : [`its changes: git apply ${shellWord(path.relative(cwd, path.join(located.folder.root, patch)))}`]),
      ...(pushed === null ? [] : [`pushed ${pushed.branch} (${pushed.commit.slice(0, 12)})`]),
      ...notes,
    ];
    return answered(args, { folder: located.folder.root, patch, pushed, notes }, lines.join('\n'));
  },
  limits: async ({ args, database }) => {
    await fleets.checkDatabase(database, 'submit');
    const { number, texts } = args;
    const counted = (flag: string) =>
      (texts[flag] ?? []).map((word) => {
        const [, what, count] = /^([^=]+)=(\d{1,9})$/.exec(word) ?? [];
        if (what === undefined) throw new fleets.FleetRefusal(`--${flag} takes NAME=N, not "${word}"`);
        return { what, count: Number(count) };
      });
    const named = (flag: string, what: string) => {
      const [tool, account = ''] = what.split('@') as [string, string?];
      if (!isTool(tool)) throw new fleets.FleetRefusal(`--${flag}: "${tool}" is none of ${namedTools('and')}`);
      return { tool, account };
    };
    const rates = (['at-once', 'per-minute'] as const).flatMap((flag) =>
      counted(flag).map(({ what, count }) => ({
        ...named(flag, what),
        count,
        kind: flag === 'at-once' ? ('at_once' as const) : ('per_minute' as const),
      })),
    );
    const pools = counted('pool-calls').map(({ what, count }) => ({ pool: what, calls: count }));
    const lifts = (texts['lift-hold'] ?? []).map((word) => named('lift-hold', word));
    await fleets.changeLimits(database, {
      pools,
      rates,
      lifts,
      ...(number.day === undefined ? {} : { day: number.day }),
    });
    const status = await fleets.fleetStatus(database, { names: [] });
    const { limits, budgets } = status;
    return {
      exit: 0,
      out: args.given.has('json') ? `${JSON.stringify({ schema: 1, limits, budgets })}\n` : limitsPage(status),
    };
  },
  setup: async ({ args, database }) => {
    const before = await fleets.setUp(database);
    const sentence = `the tables of the fleet are ready (version ${fleets.SCHEMA_VERSION}${before === 0 ? ', new' : ''}); grant tollgate_worker, tollgate_submitter or tollgate_reader to your users`;
    return answered(args, { version: fleets.SCHEMA_VERSION, before }, sentence);
  },
};

const answered = ({ given }: Arguments, object: object, sentence: string): Ran => ({
  exit: 0,
  out: given.has('json') ? `${JSON.stringify({ schema: 1, ...object })}\n` : `${sentence}\n`,
});
