// Prints verdicts on a few scenarios over older CLIs: `npm run bench:matrix -- --versions [tool[@version]] [--clis DIR]`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BuiltIn, isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { TESTED_VERSIONS } from '../../policies/manifest/tested-versions.ts';
import { callsOf } from '../../test/real/matrix/rows.ts';
import { type MatrixOutcome, runMatrix } from '../../test/real/matrix/run-matrix.ts';
import { VERSION_ROWS } from '../../test/real/matrix/version-rows.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { tableOf } from '../figures/measure.ts';

interface Release {
  tool: BuiltIn;
  version: string;
}

const { releases, kept } = readWords(process.argv.slice(2));
const rows: string[][] = [];
let wrong = 0;
for (const release of releases) {
  const outcomes = await measure(release);
  wrong += outcomes.filter(({ faults }) => faults.length > 0).length;
  rows.push(cellsOf(release, outcomes));
}
const head = ['CLI', ...VERSION_ROWS.map(({ name }) => name), 'right'];
console.log(tableOf(head, rows));
process.exitCode = wrong > 0 ? 1 : 0;

/** Each version has 100 to 450 MB. Without a folder for the versions, each is removed before the next one is installed. */
async function measure({ tool, version }: Release): Promise<MatrixOutcome[]> {
  const folder = kept === null ? mkdtempSync(path.join(tmpdir(), 'clis-')) : path.join(kept, tool, version);
  try {
    const clis = install(tool, version, folder);
    const calls = VERSION_ROWS.flatMap((row) => callsOf(row, [tool])).map((call) => ({ ...call, clis }));
    return await runMatrix(calls, ({ call, faults }) =>
      process.stderr.write(`${tool} ${version} ${call.name}: ${faults.join('; ') || 'right'}\n`),
    );
  } finally {
    if (kept === null) rmSync(folder, { recursive: true, force: true });
  }
}

function cellsOf({ tool, version }: Release, outcomes: MatrixOutcome[]): string[] {
  const cells = VERSION_ROWS.map(({ name }) => {
    const outcome = outcomes.find(({ call }) => call.name === name);
    if (outcome === undefined) return '–';
    return outcome.faults.length === 0 ? '✓' : `**${outcome.exit} ${outcome.class}/${outcome.reason}**`;
  });
  const right = outcomes.filter(({ faults }) => faults.length === 0).length;
  return [`${tool} ${version}`, ...cells, `${right} of ${outcomes.length}`];
}

/** Parses tools and versions (`copilot@1.0.75`) in the order of the command line; without any, selects all tested versions. */
function readWords(words: readonly string[]): { releases: Release[]; kept: string | null } {
  const at = words.indexOf('--clis');
  const folder = at === -1 ? null : path.resolve(words[at + 1] ?? '.');
  const named = words.filter((word, i) => !word.startsWith('--') && (at === -1 || i !== at + 1));
  const chosen = (named.length === 0 ? TOOLS : named).flatMap((word) => {
    const [tool = '', version] = word.split('@');
    if (!isBuiltIn(tool)) throw new Error(`${word} is no tool and no version of one, such as copilot@1.0.75`);
    return version === undefined
      ? TESTED_VERSIONS[tool].tested.map((each) => ({ tool, version: each as string }))
      : [{ tool, version }];
  });
  return { releases: chosen, kept: folder };
}

/** @returns its node_modules. A folder that already contains the installed version is used unchanged. */
function install(tool: BuiltIn, version: string, folder: string): string {
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
