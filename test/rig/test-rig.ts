// Creates a separate world for a test: folders, fake CLIs on the PATH, commands from dist, and a search for survivors.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { keepCodeCaches, lendCodeCaches } from './code-caches.ts';
import { canRunHere, runHere } from './command-here.ts';
import { FakeCall, type FakeCommand, type FakeReport } from './fake-call.ts';
import { type CommandOptions, type CommandResult, RunningCommand } from './running-command.ts';
import { endSurvivors, findSurvivors, type Survivor } from './survivors.ts';

/** The folder of the test's own process: while a command runs in this process, its environment is that of another rig. */
const TEMPORARY = tmpdir();

type Answer = (call: FakeCall) => readonly FakeCommand[] | Promise<unknown>;

export class TestRig {
  readonly root: string;
  /** The folder in which commands start. */
  readonly project: string;
  readonly home: string;
  /** Contains the fakes; the only folder on the PATH besides the system's. */
  readonly bin: string;
  readonly env: Record<string, string>;
  /** Every fake that has reported, oldest first. */
  readonly calls: FakeCall[] = [];
  readonly #server: Server;
  readonly #waiting: ((call: FakeCall) => void)[] = [];
  readonly #unclaimed: FakeCall[] = [];
  readonly #commands: RunningCommand[] = [];
  readonly #marker: string;
  #answer: Answer | null = null;

  /** Creates the folders and installs fakes of all CLIs, or of `tools`. */
  static async open({ tools = TOOLS as readonly BuiltIn[] } = {}): Promise<TestRig> {
    const rig = new TestRig(mkdtempSync(path.join(TEMPORARY, 'rig-')));
    await new Promise<void>((resolve) => rig.#server.listen(rig.#socketPath, resolve));
    for (const tool of tools) rig.install(tool);
    return rig;
  }

  private constructor(root: string) {
    this.root = root;
    this.#marker = `TEST_RIG=${path.basename(root)}`;
    [this.project, this.home, this.bin] = ['project', 'home', 'bin'].map((name) => {
      mkdirSync(path.join(root, name));
      return path.join(root, name);
    }) as [string, string, string];
    mkdirSync(path.join(root, 'tmp'));
    lendCodeCaches(this.home);
    // The user's answer to the trust dialogs of claude and gemini.
    const trusted = { projects: { [root]: { hasTrustDialogAccepted: true } } };
    writeFileSync(path.join(this.home, '.claude.json'), JSON.stringify(trusted));
    mkdirSync(path.join(this.home, '.gemini'));
    writeFileSync(path.join(this.home, '.gemini/trustedFolders.json'), JSON.stringify({ [root]: 'TRUST_FOLDER' }));
    this.env = {
      PATH: `${this.bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: path.join(root, 'tmp'),
      TEST_RIG: path.basename(root),
      NO_COLOR: '1',
    };
    this.#server = createServer((socket) => this.#receive(socket)).unref();
  }

  get #socketPath(): string {
    return path.join(this.root, 'fake.sock');
  }

  /**
   * Puts a fake on the PATH, in the layout of the npm package; `settings` go into its fake-cli.json.
   * @param layout `published`: its program has the name of the real one, so that its refusals are known before a call.
   */
  install(
    tool: BuiltIn,
    settings: { version?: string; script?: FakeCommand[]; log?: string } = {},
    layout: 'fake' | 'published' = 'fake',
  ): void {
    const { name, version: pinned, prints } = PACKAGES[tool];
    const version = settings.version ?? pinned;
    const folder = path.join(this.root, 'lib/node_modules', name);
    const program = path.join(folder, layout === 'published' ? ADAPTERS[tool].entries[0] : `${tool}.cjs`);
    mkdirSync(folder, { recursive: true });
    copyFileSync(path.join(import.meta.dirname, 'fake-cli.cjs'), program);
    const steered = settings.script ? {} : { socket: this.#socketPath };
    const told = { ...steered, ...settings, version: prints.replace('*', version) };
    writeFileSync(path.join(folder, 'fake-cli.json'), JSON.stringify(told));
    writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({ name, version, bin: { [tool]: path.basename(program) } }),
    );
    rmSync(path.join(this.bin, tool), { force: true });
    symlinkSync(program, path.join(this.bin, tool));
  }

  /** Removes a CLI from the PATH. */
  uninstall(tool: BuiltIn): void {
    rmSync(path.join(this.bin, tool), { force: true });
  }

  /** Writes a file of the project; returns its absolute path. */
  write(name: string, text: string | Buffer): string {
    const file = path.join(this.project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Starts a command, such as `run_codex`, in the project. */
  start(command: string, argv: string[], options: Partial<CommandOptions> = {}): RunningCommand {
    const running = new RunningCommand(command, argv, this.#settled(options));
    this.#commands.push(running);
    return running;
  }

  /** Runs a command to its end, for a test that is not about the process: inside the test's process if possible. */
  run(command: string, argv: string[], options: Partial<CommandOptions> = {}): Promise<CommandResult> {
    const settled = this.#settled(options);
    return canRunHere(command, argv, settled) ? runHere(argv, settled) : this.start(command, argv, options).result;
  }

  #settled({ env = {}, cwd = this.project, ...rest }: Partial<CommandOptions>): CommandOptions {
    return { cwd, env: { ...this.env, ...env }, ...rest };
  }

  /** Waits for the next fake that no test has taken yet. */
  call(): Promise<FakeCall> {
    const ready = this.#unclaimed.shift();
    if (ready) return Promise.resolve(ready);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The same; null if a command has ended before, for example by a limit that its fake was too slow for. */
  async callBefore(ended: Promise<unknown>): Promise<FakeCall | null> {
    let take: (call: FakeCall) => void = () => {};
    const next = new Promise<FakeCall>((resolve) => {
      take = resolve;
    });
    const ready = this.#unclaimed.shift();
    if (ready) return ready;
    this.#waiting.push(take);
    const call = await Promise.race([next, ended.then(() => null)]);
    if (call === null) this.#waiting.splice(this.#waiting.indexOf(take), 1);
    return call;
  }

  /** From now on every new fake gives this answer by itself; `calls` collects them. */
  answer(answer: Answer): void {
    this.#answer = answer;
  }

  /** The running processes that come from this rig's commands, without the commands themselves. */
  survivors(): Survivor[] {
    const commands = this.#commands.map((running) => running.pid);
    return findSurvivors(this.#marker).filter(({ pid }) => !commands.includes(pid));
  }

  /** Ends the remaining processes of this rig and removes its folders. */
  async dispose(): Promise<void> {
    await endSurvivors(this.#marker);
    keepCodeCaches(this.home);
    this.#server.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }

  #receive(socket: Socket): void {
    let call: FakeCall | null = null;
    socket.on('error', () => {}); // a fake that is killed resets its connection
    createInterface({ input: socket })
      .on('error', () => {})
      .on('line', (line) => {
        const message = JSON.parse(line);
        if (call) call.hear(message);
        else call = this.#welcome(message.report, socket);
      });
  }

  #welcome(report: FakeReport, socket: Socket): FakeCall {
    const call = new FakeCall(report, socket, this.#marker);
    this.calls.push(call);
    const taker = this.#waiting.shift();
    if (taker) taker(call);
    else if (this.#answer) void obey(call, this.#answer(call));
    else this.#unclaimed.push(call);
    return call;
  }
}

async function obey(call: FakeCall, answer: ReturnType<Answer>): Promise<void> {
  if (Array.isArray(answer)) await call.tell(...answer);
  else await answer;
}

/** The names in npm and the output of `--version` of the versions that the toolkit was tested with. */
const PACKAGES = {
  gemini: { name: '@google/gemini-cli', version: '0.61.0', prints: '*' },
  codex: { name: '@openai/codex', version: '0.169.0', prints: 'codex-cli *' },
  copilot: { name: '@github/copilot', version: '1.0.102', prints: 'GitHub Copilot CLI *.' },
  claude: { name: '@anthropic-ai/claude-code', version: '2.1.330', prints: '* (Claude Code)' },
} as const satisfies Record<BuiltIn, { name: string; version: string; prints: string }>;
