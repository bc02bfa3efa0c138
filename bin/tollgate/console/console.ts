// Implements tollgate console: serves the local page for what runs, and runs the commands that the page requests.

import { type SpawnOptions, spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandResult, ServedProject } from '../../../console/server/project.ts';
import { pageFile } from '../../../console/server/replies.ts';
import { openConsole } from '../../../console/server/server.ts';
import { awaitEnd, begin, carriedFolder, removeOld } from '../../../loops/report/carried-run.ts';
import { foreseeTask } from '../../../loops/run/forecast.ts';
import { plainOptions } from '../../../loops/task/run-options.ts';
import manifest from '../../../package.json';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { withoutDatabase } from '../../../policies/gate/command-environment.ts';
import { readRegularBytes } from '../../../state/disk/regular-file.ts';
import { areTrustedTasks } from '../../../state/trusted-folders.ts';
import { keepHeapSmall } from '../../../wrappers/heap-limits.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { askForObject, objectIn, readArguments, stopOnSignals } from '../../command.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import { preflightCommand } from '../../preflight-command.ts';
import { printing, printResult } from '../../printing.ts';
import type { Ran } from '../../ran.ts';
import { run as budget } from '../budget.ts';
import { schemaFile } from '../init.ts';
import { startCarrier } from '../mcp/carrier.ts';
import { contextOf } from '../run-flags.ts';

const SPEC: CommandSpec = {
  name: 'tollgate console',
  usage: '[--port N] [--open] [--database URL]',
  about:
    'Serves a live page of this project on 127.0.0.1 until it is stopped: runs, tasks, failures, budgets, sessions, supervised tasks, books and the machine, each with its actions. Open the address that it prints; no other browser gets access. Runs that it starts continue when it ends.',
  flags: {
    port: { takes: 'number', min: 1, max: 65_535, about: 'the port; default: a free one' },
    open: { takes: 'nothing', about: 'open it in the browser of this machine' },
    database: {
      takes: 'text',
      about: 'also the tasks of the fleet in this database, to read; - for the address in TOLLGATE_DATABASE',
    },
    'trust-workspace': { takes: 'nothing', about: 'pass --trust-workspace to the runs that it starts' },
  },
  words: { min: 0, max: 0, called: 'nothing' },
  examples: [
    ['tollgate console', 'prints the address to open; Ctrl-C ends it'],
    ['tollgate console --open', 'and opens it'],
    ['tollgate console --database -', 'with a view of the fleet'],
    ['tollgate console --port 7300 --json', '{"url": …} as one line, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.failure, 'the port is taken, or the page is not there'],
    [TOLLGATE_EXIT.badInput, 'usage, or from within a call'],
    ['130, 143', 'stopped by INT, TERM; running tasks continue'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  if (args.text.database === undefined) return serve(args, null);
  const { fleetReader, inFleet, withDatabase } = await import('../fleet-views.ts');
  return inFleet(SPEC.name, () => withDatabase(args, (database) => serve(args, fleetReader(database))));
}

async function serve({ number, given }: Arguments, fleet: ServedProject['fleet']): Promise<Ran> {
  const stop = stopOnSignals();
  // The console runs for hours, and at its start it may read ten thousand tasks.
  keepHeapSmall();
  const project = {
    ...{ cwd: process.cwd(), environment: process.env, version: manifest.version },
    clock: () => new Date(),
    commands: consoleCommands(fleet === null ? process.env : withoutDatabase(process.env), stop),
    trustWorkspace: given.has('trust-workspace'),
    schemaFile: schemaFile(),
    fleet,
    foresee: (word: string, draft: string) => foresee(word, draft, given.has('trust-workspace')),
  };
  const opened = await openConsole(project, builtPage(), number.port ?? 0);
  if (opened.how === 'taken')
    return { exit: TOLLGATE_EXIT.failure, err: `tollgate console: ${takenWords(opened.why, number.port)}\n` };
  const { url, openOnce, close } = opened.console;
  const lost = await printResult(given.has('json') ? `${JSON.stringify({ schema: 1, url })}\n` : `${url}\n`);
  if (lost !== null) return close().then(() => ({ exit: TOLLGATE_EXIT.ok, lost }));
  if (!given.has('json') && !given.has('quiet'))
    printing('stderr').write('tollgate console: open this address; Ctrl-C ends it\n');
  if (given.has('open'))
    openBrowser(openOnce(), (why) => printing('stderr').write(`tollgate console: ${why}; open the address by hand\n`));
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await close();
  return { exit: stopExit(stop) };
}

/** As `tollgate run --dry-run` does. What other tasks' agents changed keeps a run from its begin, but not a draft from a look. */
function foresee(word: string, draft: string, trustsAll: boolean) {
  const trustWorkspace = trustsAll || areTrustedTasks([word], process.cwd(), process.env);
  const options = { ...plainOptions(), trustWorkspace, otherChanges: 'accepted' } as const;
  return foreseeTask({ word, options, context: contextOf(new AbortController().signal) }, 'sized', draft);
}

/** In the folder of this file, however the command was found. */
function builtPage() {
  const file = (name: string) => readRegularBytes(path.join(path.dirname(fileURLToPath(import.meta.url)), name));
  const late = { 'editor.js': file('console-editor.js'), 'colours.js': file('console-colours.js') };
  return pageFile(file('console.html'), late);
}

function takenWords(code: string, port: number | undefined): string {
  if (port === undefined) return `no port of 127.0.0.1 could be had (${code})`;
  if (code === 'EADDRINUSE')
    return `port ${port} of 127.0.0.1 is taken, maybe by another console; give another one (--port ${port === 65_535 ? 7300 : port + 1}), or leave --port out for one that is free`;
  if (code === 'EACCES')
    return `port ${port} is for the administrator alone; give one from 1024 on, or leave --port out`;
  return `port ${port} of 127.0.0.1 cannot be used (${code}); leave --port out for one that is free`;
}

function openBrowser(url: string, failed: (why: string) => void): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
  child.on('error', ({ message }) => failed(`no browser could be opened (${message})`));
  child.on('exit', (code) => {
    if (code !== 0 && code !== null) failed(`no browser could be opened (${program} ended with ${code})`);
  });
  child.unref();
}

const READS: Record<string, (argv: readonly string[]) => Promise<Ran>> = { budget, preflight: preflightCommand };

/** An immediate failure, such as a book without a key, is reported immediately. */
const AT_ONCE_MS = 3000;
/** The checks before a run take no longer; what ends after them was no refusal. */
const CHECKS_MS = 5 * 60_000;

const consoleCommands = (environment: NodeJS.ProcessEnv, stop: AbortSignal): ServedProject['commands'] => ({
  async read([word, ...argv]) {
    return askForObject(READS[word!]!, argv);
  },
  change: (argv) => answeredBy(argv, { detached: true, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
  make: (argv, gone) => answeredBy(argv, { env: environment, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], signal: gone }),
  async begin(wanted, endedLater) {
    const folder = carriedFolder(process.cwd(), process.env);
    const self = (await identify(process.pid))!;
    removeOld(folder, new Date());
    const begun = await begin(folder, wanted, self, () => new Date());
    if (begun.how === 'added') startCarrier(folder, begun.run, self, environment);
    const endWithin = async (atMostMs: number) => {
      const standing = await awaitEnd({ folder, run: begun.run, atMostMs, stop, tick: () => {} });
      return standing.how === 'ended' ? { exit: standing.end.exit_code, object: standing.end.object } : null;
    };
    const ended = await endWithin(AT_ONCE_MS);
    if (ended === null)
      void endWithin(CHECKS_MS).then(
        (later) => later !== null && endedLater(later),
        // The run itself goes on, and its own files say how it ended.
        () => {},
      );
    return { how: begun.how, ended };
  },
});

const MAX_SAID = 4 * 1024 * 1024;

/**
 * Runs a command in a separate process. A command that changes something has its own group: Ctrl-C ends the console, but not the
 * change. A command that only makes a file for a request ends with that request, and with this process.
 */
function answeredBy(argv: readonly string[], options: SpawnOptions): Promise<CommandResult> {
  const command = path.join(path.dirname(fileURLToPath(import.meta.url)), 'tollgate.cjs');
  const at = argv.indexOf('--');
  const words = [command, ...argv.toSpliced(at < 0 ? argv.length : at, 0, '--json')];
  return new Promise((resolve) => {
    const output = { stdout: '', stderr: '' };
    const child = spawn(process.execPath, words, options);
    for (const name of ['stdout', 'stderr'] as const)
      child[name]!.setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < MAX_SAID) output[name] += text;
      });
    child.on('error', ({ message }) =>
      resolve({ exit: 1, object: { message: `it could not be started (${message})` } }),
    );
    child.on('close', (code, signal) => {
      const object = objectIn(output.stdout, output.stderr || `it was ended by ${signal}`);
      resolve({ exit: code ?? 1, object });
    });
  });
}
