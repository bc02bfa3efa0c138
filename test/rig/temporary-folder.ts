// Creates a separate folder for a test, which is removed when the test's process ends, and mounts a small disk on one.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const made: string[] = [];

export function temporaryFolder(prefix: string): string {
  if (made.length === 0) process.once('exit', () => made.forEach((folder) => void remove(folder)));
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  made.push(folder);
  return folder;
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

/** With `-t tmpfs -o size=1m`, a small disk. */
export function mount(folder: string, ...flags: string[]): void {
  const source = flags.includes('-t') ? ['tmpfs'] : [];
  const { status, stderr } = spawnSync('mount', [...flags, ...source, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Why not, or null: it takes root, and a container that allows it. */
export function mountRefusal(): string | null {
  if (process.platform !== 'linux') return 'it takes Linux';
  const folder = mkdtempSync(path.join(tmpdir(), 'mount-'));
  try {
    mount(folder, '-t', 'tmpfs', '-o', 'size=1m');
    writeFileSync(path.join(folder, 'x'), 'x');
    spawnSync('umount', [folder]);
    return null;
  } catch (error) {
    return (error as Error).message.trim().split('\n')[0]!;
  } finally {
    rmdirSync(folder);
  }
}
