// A docker whose daemon is the test's own process: a container does not end with its client, gets only named variables, has a name.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { MARKERS } from '../../wrappers/processes/marker.ts';
import type { TestRig } from './test-rig.ts';

interface Order {
  argv: string[];
  env: Record<string, string>;
}

interface Asked {
  name: string;
  env: Record<string, string>;
  cwd: string;
  command: string[];
  volumes: string[];
}

export class FakeDocker {
  /** The names of running containers. */
  readonly running = new Map<string, ChildProcess>();
  /** The name of each container that was started, and of each that was stopped. */
  readonly started: string[] = [];
  readonly stopped: string[] = [];
  #starts: (name: string) => void = () => {};
  readonly #server: Server;
  readonly #rig: TestRig;

  /** Puts `docker` on the PATH of the rig. */
  static async open(rig: TestRig): Promise<FakeDocker> {
    const docker = new FakeDocker(rig);
    const socket = path.join(rig.root, 'docker.sock');
    await new Promise<void>((resolve) => docker.#server.listen(socket, resolve));
    const program = path.join(rig.bin, 'docker');
    writeFileSync(program, `#!${process.execPath}\n${CLIENT.replace('SOCKET', JSON.stringify(socket))}`);
    chmodSync(program, 0o755);
    return docker;
  }

  private constructor(rig: TestRig) {
    this.#rig = rig;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket)).unref();
  }

  /** The name of the next container whose name ends with this. */
  next(end: string): Promise<string> {
    return new Promise((resolve) => {
      this.#starts = (name) => name.endsWith(end) && resolve(name);
    });
  }

  close(): void {
    this.#server.close();
    for (const child of this.running.values()) process.kill(-child.pid!, 'SIGKILL');
  }

  #serve(socket: Socket): void {
    let head = Buffer.alloc(0);
    socket.on('error', () => {}); // a client that is killed resets its connection
    const readHead = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(10);
      if (end === -1) return;
      socket.off('data', readHead);
      this.#obey(socket, JSON.parse(head.toString('utf8', 0, end)) as Order, head.subarray(end + 1));
    };
    socket.on('data', readHead);
  }

  #obey(socket: Socket, { argv, env }: Order, first: Buffer): void {
    const answer = (fact: object) => socket.writable && socket.write(`${JSON.stringify(fact)}\n`);
    if (argv[0] === 'stop') this.#stop(argv.at(-1)!, answer);
    else this.#run(read(argv, env), socket, first, answer);
  }

  #run(
    { name, command, cwd, env: passed }: Asked,
    socket: Socket,
    first: Buffer,
    answer: (fact: object) => void,
  ): void {
    this.started.push(name);
    this.#starts(name);
    // The system does not show which call the CLI of a container belongs to.
    const hidden = Object.entries(passed).filter(([variable]) => !MARKERS.includes(variable));
    const shown = command[0] === 'sh' ? passed : Object.fromEntries(hidden);
    const { PATH, HOME, TEST_RIG } = this.#rig.env;
    const own = { PATH: PATH!, HOME: HOME!, TEST_RIG: TEST_RIG! };
    const child = spawn(command[0]!, command.slice(1), { cwd, env: { ...own, ...shown }, detached: true });
    this.running.set(name, child);
    child.stdin.on('error', () => {}); // the program need not read it
    child.stdin.write(first);
    socket.pipe(child.stdin);
    for (const to of ['stdout', 'stderr'] as const)
      child[to].on('data', (chunk: Buffer) => answer({ to, base64: chunk.toString('base64') }));
    child.on('error', ({ message }) => answer({ to: 'stderr', base64: Buffer.from(message).toString('base64') }));
    child.on('close', (code) => {
      this.running.delete(name);
      answer({ exit: code ?? 137 });
    });
  }

  #stop(name: string, answer: (fact: object) => void): void {
    const child = this.running.get(name);
    if (child === undefined) {
      const message = `Error response from daemon: No such container: ${name}\n`;
      answer({ to: 'stderr', base64: Buffer.from(message).toString('base64') });
      answer({ exit: 1 });
      return;
    }
    this.stopped.push(name);
    child.once('close', () => answer({ exit: 0 }));
    process.kill(-child.pid!, 'SIGKILL');
  }
}

/** Reads `run` as docker does, with the options that a test uses. */
function read([, ...words]: readonly string[], given: Record<string, string>): Asked {
  const asked: Asked = { name: '', env: {}, cwd: '/', command: [], volumes: [] };
  const rest = [...words];
  while (rest[0]?.startsWith('-')) {
    const word = rest.shift()!;
    if (word === '--rm' || word === '-i') continue;
    const value = rest.shift()!;
    if (word === '--name') asked.name = value;
    else if (word === '--workdir') asked.cwd = value;
    else if (word === '--volume') asked.volumes.push(value);
    else if (word === '--env') asked.env[value] = given[value]!;
    else throw new Error(`an option that the fake does not know: ${word}`);
  }
  const [, ...command] = rest;
  return { ...asked, command };
}

/** A client passes stdin on and prints what comes back. SIGTERM ends it alone, as it ends a docker that has no container yet. */
const CLIENT = `
const socket = require('node:net').connect(SOCKET);
let text = '';
socket.write(JSON.stringify({ argv: process.argv.slice(2), env: process.env }) + '\\n');
process.stdin.pipe(socket);
socket.on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\\n'); end !== -1; end = text.indexOf('\\n')) {
    const fact = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (fact.exit !== undefined) process.exitCode = fact.exit, socket.destroy(), process.stdin.destroy();
    else process[fact.to].write(Buffer.from(fact.base64, 'base64'));
  }
});
`;
