// Installs one version of a CLI into a separate folder outside the repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';

/** @returns its node_modules. A folder that already contains the installed version is used unchanged. */
export function install(tool: BuiltIn, version: string, folder: string): string {
  const [installed, whole] = [path.join(folder, 'node_modules'), path.join(folder, 'ok')];
  if (existsSync(whole)) return installed;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private": true}');
  // Only claude's install script puts the binary in place.
  const scripts = tool === 'claude' ? [] : ['--ignore-scripts'];
  const argv = ['install', '--no-audit', '--no-fund', ...scripts, `${ADAPTERS[tool].packageName}@${version}`];
  const { status, stderr } = spawnSync('npm', argv, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${argv.join(' ')}: ${stderr}`);
  writeFileSync(whole, '');
  return installed;
}
