// Whether codex starts in a folder: outside a git repository it refuses, whatever trust_level its config.toml gives the folder (0.169.0).

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FolderRequest } from '../adapter.ts';

export const refusesFolder = ({ trustWorkspace, cwd }: FolderRequest): string | null =>
  trustWorkspace || isInRepository(cwd) ? null : `codex refuses to start in ${cwd}, which is in no git repository`;

const isInRepository = (folder: string): boolean =>
  existsSync(path.join(folder, '.git')) || (folder !== path.dirname(folder) && isInRepository(path.dirname(folder)));
