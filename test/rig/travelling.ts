// Creates a project with a remote, a task in it, and a worker's folder, for tests of what travels in a fleet.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { hashOf } from '../../fleet/travel/bundle.ts';
import { type OriginOf, originsOf } from '../../fleet/travel/origin.ts';
import { type PackedTask, packTask } from '../../fleet/travel/pack.ts';
import { TravelRefusal } from '../../fleet/travel/refusal.ts';
import { type UnpackedTask, unpackTask } from '../../fleet/travel/unpack.ts';
import { contextIn, OPTIONS } from './run-settings.ts';
import { ANY_ANSWER } from './task-run.ts';
import { TestRig } from './test-rig.ts';

export class Travelling {
  readonly rig: TestRig;
  readonly remote: string;
  readonly work: string;

  /** The commit has `code.txt` and a `.gitignore` for the state; it is pushed. */
  static async open(manifest: object = {}): Promise<Travelling> {
    const travelling = new Travelling(await TestRig.open());
    const { rig, remote } = travelling;
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: rig.env });
    travelling.git('init', '-q', '-b', 'main');
    travelling.git('config', 'user.name', 'test');
    travelling.git('config', 'user.email', 'test@localhost');
    travelling.git('remote', 'add', 'origin', remote);
    rig.write('.gitignore', '.tmp/\nbuilt/\n');
    rig.write('code.txt', 'one\n');
    travelling.commit('first');
    travelling.git('push', '-q', '-u', 'origin', 'main');
    travelling.manifest(manifest);
    return travelling;
  }

  private constructor(rig: TestRig) {
    this.rig = rig;
    this.remote = path.join(rig.root, 'remote.git');
    this.work = path.join(rig.root, 'work');
    mkdirSync(this.work);
  }

  get folder(): string {
    return path.join(this.rig.project, '.tmp/task/fix');
  }

  manifest(manifest: object): void {
    const stages = [{ tool: 'gemini', role: 'impl', id: 'do', ...ANY_ANSWER }];
    const whole = { task_id: 'fix', goal: 'Fix it.', stages, ...manifest };
    this.rig.write('.tmp/task/fix/manifest.json', JSON.stringify(whole));
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.rig.project, env: this.rig.env, encoding: 'utf8' }).trim();
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
  }

  async pack(
    more: {
      changes?: 'patch' | 'refused';
      shared?: string | null;
      trustWorkspace?: boolean;
      word?: string;
      originOf?: OriginOf;
    } = {},
  ) {
    const { changes = 'refused', shared = null, trustWorkspace = false, word = 'fix' } = more;
    const options = { ...OPTIONS, trustWorkspace };
    const context = contextIn(this.rig);
    return packTask({ word, options, context, changes, shared, originOf: more.originOf ?? originsOf(context) });
  }

  unpack(packed: PackedTask): Promise<UnpackedTask> {
    const halt = new AbortController().signal;
    return unpackTask(packed, { workFolder: this.work, environment: this.rig.env, halt, shared: null });
  }
}

/** The message with which it is refused. Any other error is thrown, and so is a success. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TravelRefusal) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

interface RawBundle {
  version: number;
  patch: string | null;
  task: Record<string, [string, number]>;
  tree: Record<string, [string, number]>;
}

/** The content of a bundle in the job. */
export const contentOf = ({ bundle }: PackedTask): RawBundle =>
  JSON.parse(gunzipSync(Buffer.isBuffer(bundle) ? bundle : readFileSync(bundle.shared)).toString()) as RawBundle;

/** The same task with another content of its bundle, as a stranger could send it. */
export function forged(packed: PackedTask, change: (content: RawBundle) => void): PackedTask {
  const content = contentOf(packed);
  change(content);
  const bundle = gzipSync(JSON.stringify(content));
  return { ...packed, bundle, bundleHash: hashOf(bundle) };
}

/** An entry of a bundle. */
export const entry = (text: string): [string, number] => [Buffer.from(text).toString('base64'), 0];

/** Writes a file with its folders. */
export function put(file: string, text: string | Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
