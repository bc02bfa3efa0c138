// A home, a project and an environment in which a real CLI speaks to the loopback and to nothing else.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandOptions, RunningCommand } from '../rig/running-command.ts';
import { endSurvivors, findSurvivors, killSurvivors, type Survivor } from '../rig/survivors.ts';
import { ROUTES, type Route, type RouteName } from './routes.ts';

/**
 * Not under /tmp: gemini refuses system settings below a folder that others may write, and codex warns of a home below $TMPDIR.
 */
const HOMES = path.join(import.meta.dirname, '.homes');
export const CLIS = path.join(import.meta.dirname, 'node_modules');
export const OLDER_CLIS = path.join(import.meta.dirname, 'older/node_modules');
/** copilot unpacks 235 MB once for each cache folder. */
export const COPILOT_CACHE = path.join(HOMES, 'copilot-cache');

export class RealHome {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
  /** What every process of this home bears in its environment. */
  readonly marker: string;
  readonly #commands: RunningCommand[] = [];

  /** @param routes of one CLI, or of several. @param clis the node_modules with them. */
  constructor(routes: RouteName | readonly RouteName[], url: string, clis: string = CLIS) {
    const name = randomUUID();
    this.root = path.join(HOMES, name);
    this.home = path.join(this.root, 'home');
    for (const folder of [this.home, path.join(this.root, 'tmp')]) mkdirSync(folder, { recursive: true });
    // In no repository: codex trusts a folder that is in one.
    this.project = mkdtempSync(path.join(tmpdir(), 'project-'));
    const rows = [routes].flat().map((route): Route => ROUTES[route as RouteName]);
    for (const { files } of rows)
      for (const [file, text] of Object.entries(files(url))) save(path.join(this.home, file), text);
    this.marker = `TEST_RIG=${name}`;
    open.add(this);
    this.env = {
      PATH: `${clis}/.bin:${path.dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: path.join(this.root, 'tmp'),
      COPILOT_PKG_CACHE_HOME: COPILOT_CACHE,
      TEST_RIG: name,
      ...Object.assign({}, ...rows.map(({ env }) => env(url))),
    };
  }

  /** A file of the project; gives its absolute path. */
  write(name: string, text: string): string {
    const file = path.join(this.project, name);
    save(file, text);
    return file;
  }

  /** Starts one of our commands in the project. */
  start(command: string, argv: string[], options: Partial<CommandOptions> = {}): RunningCommand {
    const { env = {}, cwd = this.project, ...rest } = options;
    const running = new RunningCommand(command, argv, { cwd, env: { ...this.env, ...env }, ...rest });
    this.#commands.push(running);
    return running;
  }

  /** What still runs of all that was started here, our own commands apart. */
  survivors(): Survivor[] {
    const own = this.#commands.map((running) => running.pid);
    return findSurvivors(this.marker).filter(({ pid }) => !own.includes(pid));
  }

  /** Ends what still runs and removes the folders. */
  async dispose(): Promise<void> {
    await endSurvivors(this.marker);
    for (const folder of [this.root, this.project]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    open.delete(this);
  }
}

/** A run that is interrupted must not leave an agent behind that goes on for ever. */
const open = new Set<RealHome>();
process.on('exit', () => {
  for (const home of open) killSurvivors(home.marker);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function save(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
