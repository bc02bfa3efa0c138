// A fleet for tests: a database server, a project with a remote, and workers with folders of their own.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { FakeCall } from './fake-call.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import type { CommandResult, RunningCommand } from './running-command.ts';
import { answerWith } from './streams.ts';
import { ANY_ANSWER } from './task-run.ts';
import { TestRig } from './test-rig.ts';

export class FleetRig {
  readonly rig: TestRig;
  readonly postgres: Postgres;
  readonly url: string;

  /** The project is pushed; the CLIs answer at once. @param settings of the server. */
  static async open(settings: readonly string[] = []): Promise<FleetRig> {
    const postgres = await startPostgres(settings);
    const rig = await TestRig.open();
    const fleet = new FleetRig(rig, postgres, await postgres.create('fleet'));
    const remote = path.join(rig.root, 'remote.git');
    fleet.git('init', '-q', '--bare', '-b', 'main', remote);
    fleet.git('init', '-q', '-b', 'main');
    fleet.git('config', 'user.name', 'test');
    fleet.git('config', 'user.email', 'test@localhost');
    fleet.git('remote', 'add', 'origin', remote);
    rig.write('.gitignore', '.tmp/\n');
    fleet.git('add', '-A');
    fleet.git('commit', '-q', '-m', 'first');
    fleet.git('push', '-q', '-u', 'origin', 'main');
    await fleet.ends('fleet', 'setup');
    rig.answer(DONE);
    return fleet;
  }

  private constructor(rig: TestRig, postgres: Postgres, url: string) {
    [this.rig, this.postgres, this.url] = [rig, postgres, url];
  }

  private git(...args: string[]): void {
    execFileSync('git', args, { cwd: this.rig.project, env: this.rig.env });
  }

  task(id: string, manifest: object = {}): void {
    const stages = [{ tool: 'gemini', role: 'runbook', id: 'do', ...ANY_ANSWER }];
    this.rig.write(
      `.tmp/task/${id}/manifest.json`,
      JSON.stringify({ task_id: id, goal: `Do ${id}.`, stages, ...manifest }),
    );
  }

  /** Runs a command with the database to its end. @returns its output; an error if it does not exit 0. */
  async ends(...argv: string[]): Promise<Output> {
    return outputOf(await this.rig.run('tollgate', argv, { env: { TOLLGATE_DATABASE: this.url } }));
  }

  /** Starts a command with the database. */
  tollgate(...argv: string[]): FleetCommand {
    return commandOf(this.rig.start('tollgate', argv, { env: { TOLLGATE_DATABASE: this.url } }));
  }

  async submit(...argv: string[]): Promise<void> {
    await this.ends('submit', ...argv);
  }

  /** @param name of its folder, by which it is the same machine over restarts. */
  worker(name: string, ...argv: string[]): FleetCommand {
    return this.tollgate('worker', '--folder', path.join(this.rig.root, 'workers', name), ...argv);
  }

  /** A worker whose first call waits for the test; all later calls answer at once. */
  async workerInCall(
    name: string,
    leaseSeconds = 16,
    ...argv: string[]
  ): Promise<{ worker: FleetCommand; call: FakeCall }> {
    const held = new Promise<FakeCall>((resolve) => {
      let isFirst = true;
      this.rig.answer((call) => {
        if (!isFirst) return DONE(call);
        isFirst = false;
        resolve(call);
        return [];
      });
    });
    const worker = this.worker(name, '--lease-seconds', String(leaseSeconds), ...argv);
    return { worker, call: await held };
  }

  rows(text: string): Promise<Record<string, unknown>[]> {
    return this.postgres.query('fleet', text);
  }

  /** Waits until the query returns what is wanted; each look costs a connection. */
  async until(
    text: string,
    isWanted: (rows: Record<string, unknown>[]) => boolean,
  ): Promise<Record<string, unknown>[]> {
    for (;;) {
      const rows = await this.rows(text);
      if (isWanted(rows)) return rows;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async dispose(): Promise<void> {
    await this.rig.dispose();
    await this.postgres.stop();
  }
}

const DONE = (call: FakeCall) => answerWith(call.report.tool as BuiltIn, `done by ${call.report.pid}`);

interface FleetCommand {
  running: RunningCommand;
  /** Its output; an error if it does not exit 0. */
  succeeds(): Promise<Output>;
}

type Output = Pick<CommandResult, 'stdout' | 'stderr'>;

const commandOf = (running: RunningCommand): FleetCommand => ({
  running,
  succeeds: async () => outputOf(await running.result),
});

function outputOf({ code, stdout, stderr }: CommandResult): Output {
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return { stdout, stderr };
}
