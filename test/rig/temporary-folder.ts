// Creates a separate folder for a test, which is removed when the test's process ends, however its tests end.

import { mkdtempSync, rmSync } from 'node:fs';
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
