// Prints verdicts on a few scenarios over older CLIs: `npm run bench:matrix -- --versions [tool[@version]] [--clis DIR]`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BuiltIn, isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { TESTED_VERSIONS } from '../../policies/manifest/tested-versions.ts';
import { callsOf } from '../../test/real/matrix/rows.ts';
import { type MatrixOutcome, runMatrix } from '../../test/real/matrix/run-matrix.ts';
import { VERSION_ROWS } from '../../test/real/matrix/version-rows.ts';
import { install } from './install.ts';

interface Release {
  tool: BuiltIn;
  version: string;
}

const { releases, kept } = readWords(process.argv.slice(2));
const lines: string[] = [];
let wrong = 0;
for (const release of releases) {
  const outcomes = await measure(release);
  wrong += outcomes.filter(({ faults }) => faults.length > 0).length;
  lines.push(lineOf(release, outcomes));
}
const head = ['CLI', ...VERSION_ROWS.map(({ name }) => name), 'right'];
console.log([row(head), row(head.map(() => '---')), ...lines].join('\n'));
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

function lineOf({ tool, version }: Release, outcomes: MatrixOutcome[]): string {
  const cells = VERSION_ROWS.map(({ name }) => {
    const outcome = outcomes.find(({ call }) => call.name === name);
    if (outcome === undefined) return '–';
    return outcome.faults.length === 0 ? '✓' : `**${outcome.exit} ${outcome.class}/${outcome.reason}**`;
  });
  const right = outcomes.filter(({ faults }) => faults.length === 0).length;
  return row([`${tool} ${version}`, ...cells, `${right} of ${outcomes.length}`]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
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
