// Real CLIs do tasks of a fleet: each call is booked once, what it changed is fetched, and a killed worker pays nothing twice.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { type Postgres, startPostgres } from '../rig/postgres.ts';
import type { CommandResult, RunningCommand } from '../rig/running-command.ts';
import { ANY_ANSWER } from '../rig/task-run.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { RealHome } from './real-home.ts';

interface World {
  api: ModelApi;
  postgres: Postgres;
}

const test = suite<World>('a fleet of real CLIs');
test.before(async (context) => {
  context.api = await startModelApi();
  context.postgres = await startPostgres();
});
test.after(async ({ api, postgres }) => {
  await postgres.stop();
  await api.close();
});

/** A project that is pushed, and a database of its own. */
class Fleet {
  readonly home: RealHome;
  readonly #name: string;
  readonly #postgres: Postgres;
  readonly #env: Record<string, string>;

  static async open({ api, postgres }: World, name: string, scenario: string): Promise<Fleet> {
    const fleet = new Fleet(new RealHome(TOOLS, api.url(scenario, name)), postgres, name, await postgres.create(name));
    const { home } = fleet;
    home.write('.gitignore', '.tmp/\n');
    const git = (...argv: string[]) => execFileSync('git', argv, { cwd: home.project, stdio: 'pipe' });
    const remote = path.join(home.root, 'remote.git');
    git('init', '-q', '--bare', '-b', 'main', remote);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-q', '-m', 'first');
    git('remote', 'add', 'origin', remote);
    git('push', '-q', '-u', 'origin', 'main');
    await fleet.ends('fleet', 'setup');
    return fleet;
  }

  private constructor(home: RealHome, postgres: Postgres, name: string, url: string) {
    [this.home, this.#postgres, this.#name, this.#env] = [home, postgres, name, { TOLLGATE_DATABASE: url }];
  }

  async submit(tool: BuiltIn, id: string, role: 'impl' | 'review', ...flags: string[]): Promise<CommandResult> {
    // gemini asks a router first where no model is given.
    const model = tool === 'gemini' ? { model: 'gemini-2.5-flash' } : {};
    const stages = [{ tool, role, id: 'do', access: 'full', ...model, ...ANY_ANSWER }];
    this.home.write(`.tmp/task/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: `Do ${id}.`, stages }));
    return this.ends('submit', id, ...flags);
  }

  start(...argv: string[]): RunningCommand {
    return this.home.start('tollgate', argv, { env: this.#env, limitMs: 60_000 });
  }

  worker(...argv: string[]): RunningCommand {
    return this.start('worker', '--folder', path.join(this.home.root, 'worker'), '--until-empty', ...argv);
  }

  async ends(...argv: string[]): Promise<CommandResult> {
    const result = await this.start(...argv).result;
    assert.is(result.code, 0, `${argv.join(' ')}: ${result.stdout}${result.stderr}`);
    return result;
  }

  /** Of each task, in the order of names: its state, and the states and attempts of its calls. */
  async booked(): Promise<Record<string, unknown>[]> {
    return this.#postgres.query(
      this.#name,
      `SELECT t.name, t.state, t.calls_used, array_agg(r.state || ' ' || r.attempt) AS calls
       FROM tollgate.tasks t JOIN tollgate.reservations r ON r.task = t.id GROUP BY t.id ORDER BY t.name`,
    );
  }

  read(task: string, file: string): string {
    return readFileSync(path.join(this.home.project, '.tmp/task', task, file), 'utf8');
  }
}

test('each CLI does a task that changes a file; its calls are booked once, and its patch is fetched', async (world) => {
  const fleet = await Fleet.open(world, 'each', 'tool=echo done > made.txt');
  try {
    for (const tool of TOOLS) await fleet.submit(tool, tool, 'impl', '--trust-workspace');
    const { code, stdout, stderr } = await fleet.worker('--concurrency', '2').result;
    assert.is(code, 0, stderr);
    assert.match(stdout, '4 done, 0 failed, 0 interrupted');
    const names = [...TOOLS].sort();
    assert.equal(
      await fleet.booked(),
      names.map((name) => ({ name, state: 'done', calls_used: 1, calls: ['settled 1'] })),
    );
    assert.is(world.api.paid('each').length, 8);
    for (const tool of TOOLS) {
      await fleet.ends('fleet', 'fetch', tool);
      assert.match(fleet.read(tool, 'outputs/_fleet.patch'), /made\.txt\n.*\+done\n/s);
      assert.match(fleet.read(tool, `outputs/do.${tool}.out`), 'DONE-AFTER-TOOL');
    }
    assert.equal(fleet.home.survivors(), []);
  } finally {
    await fleet.home.dispose();
  }
});

test('a CLI that needs a trusted checkout refuses there, unpaid; submit names the flag, and takes a trusted project', async (world) => {
  const fleet = await Fleet.open(world, 'trust', 'ok');
  try {
    const { stderr } = await fleet.submit('claude', 'careful', 'review');
    assert.match(stderr, 'careful: claude does not start in an untrusted checkout; if workers may use its hooks');
    assert.match((await fleet.worker().result).stderr, 'failed: do: tooling (untrusted)');
    assert.is(world.api.paid('trust').length, 0);
    await fleet.ends('trust', '.');
    assert.is((await fleet.submit('claude', 'careful', 'review')).stderr, '');
    assert.match((await fleet.worker().result).stdout, '1 done, 0 failed, 0 interrupted');
    assert.is(world.api.paid('trust').length, 1);
  } finally {
    await fleet.home.dispose();
  }
});

test('a worker that is killed during a call of claude continues; the call is paid and booked once', async (world) => {
  const fleet = await Fleet.open(world, 'killed', 'slow-then-ok');
  try {
    await fleet.submit('claude', 'kept', 'review', '--trust-workspace');
    const first = fleet.worker();
    await Promise.race([first.result, waitWhile(() => world.api.paid('killed').length === 0)]);
    first.signal('SIGKILL');
    await first.result;
    const { code, stdout, stderr } = await fleet.worker().result;
    assert.is(code, 0, stderr);
    assert.match(stdout, '1 done, 0 failed, 0 interrupted');
    assert.equal(await fleet.booked(), [{ name: 'kept', state: 'done', calls_used: 1, calls: ['late 1'] }]);
    assert.is(world.api.paid('killed').length, 1);
    await fleet.ends('fleet', 'fetch', 'kept');
    assert.match(fleet.read('kept', 'outputs/do.claude.out'), 'CANNED-ANSWER 42');
  } finally {
    await fleet.home.dispose();
  }
});

test.run();
