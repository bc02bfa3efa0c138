// Runs commands for the console: those that only read in this process, those that change something in a separate one.

import { type SpawnOptions, spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandResult, Commands } from '../../../console/server/project.ts';
import { awaitEnd, begin, carriedFolder, removeOld } from '../../../loops/report/carried-run.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { askForObject, objectIn } from '../../command.ts';
import { preflightCommand } from '../../preflight-command.ts';
import type { Ran } from '../../ran.ts';
import { run as budget } from '../budget.ts';
import { startCarrier } from '../mcp/carrier.ts';

const READS: Record<string, (argv: readonly string[]) => Promise<Ran>> = { budget, preflight: preflightCommand };

/** An immediate failure, such as a book without a key, is reported immediately. */
const AT_ONCE_MS = 3000;

export const consoleCommands = (): Commands => ({
  async read([word, ...argv]) {
    return askForObject(READS[word!]!, argv);
  },
  change: (argv) => answeredBy(argv, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
  make: (argv, gone) => answeredBy(argv, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], signal: gone }),
  async begin(wanted) {
    const folder = carriedFolder(process.cwd(), process.env);
    const self = (await identify(process.pid))!;
    removeOld(folder, new Date());
    const begun = await begin(folder, wanted, self, () => new Date());
    if (begun.how === 'made') startCarrier(folder, begun.run, self);
    const stop = new AbortController().signal;
    const standing = await awaitEnd({ folder, run: begun.run, atMostMs: AT_ONCE_MS, stop, tick: () => {} });
    return standing.how === 'ended' ? { exit: standing.end.exit_code, object: standing.end.object } : null;
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
