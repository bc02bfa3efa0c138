// Implements tollgate tools: lists the built-in and described CLIs with their versions and abilities, and adds one of the catalogue.

import path from 'node:path';
import { launcherIn } from '../../loops/launcher.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { TESTED_VERSIONS } from '../../policies/manifest/tested-versions.ts';
import { placesIn } from '../../policies/rules/described-words.ts';
import { addFromCatalogue, CATALOGUE, comparedToCatalogue } from '../../state/project/catalogue.ts';
import { readSoundTools } from '../../state/project/project.ts';
import { projectRoot } from '../../state/task-folder.ts';
import type { Access, Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { findCli } from '../../wrappers/cli-search.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { homeOf } from '../../wrappers/home.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';
import { programOf } from '../../wrappers/prefix.ts';
import { readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { sheetOf } from '../sheet.ts';
import { tableLines } from '../table.ts';

export interface ToolListed {
  tool: string;
  kind: 'built_in' | 'described';
  command: string;
  /** The words of tollgate.yaml that start it elsewhere; null without. */
  prefix: readonly string[] | null;
  /** Its program, or that of its prefix; null if it is not found. */
  binary: string | null;
  /** null if only a start of the CLI would show it. */
  version: string | null;
  /** The versions with which it was tested; null for a description that the project wrote or changed, and for one never run. */
  tested: string | null;
  /** Whether its description is that of the catalogue, or counts instead of it; null if the catalogue has none. */
  catalogue: 'same' | 'other' | null;
  access: Access[];
  takes_model: boolean;
  /** It can continue a session that it named. */
  resumes: boolean;
  /** Tollgate reads its session files: history, undo, repair. */
  reads_sessions: boolean;
  output: 'events' | 'text' | 'json' | 'file';
}

const SPEC: CommandSpec = {
  name: 'tollgate tools',
  usage: '[add NAME] [options]',
  about:
    'Lists the CLIs that can be called here: the built-in ones, and those of tools in tollgate.yaml. It starts none. `add` describes one of the catalogue in tollgate.yaml, where you may change it.',
  flags: { cwd: { takes: 'text', about: 'a folder of the project', default: '.' } },
  words: { min: 0, max: 2, called: 'add NAME' },
  examples: [
    ['tollgate tools', 'which CLIs there are, and what each can do'],
    ['tollgate tools add qwen', 'describe a CLI of the catalogue in tollgate.yaml'],
    ['tollgate tools --json | jq -r ".tools[].tool"', 'their names alone'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'listed, added, or there already'],
    [
      TOLLGATE_EXIT.badInput,
      'usage, another description of that name, or a mistake in tollgate.yaml; the CLIs without one are listed',
    ],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const cwd = path.resolve(read.args.text.cwd!);
  const isJson = read.args.given.has('json');
  const [verb, name] = read.args.words;
  if (verb !== undefined) {
    if (verb !== 'add' || name === undefined) return invalid('the only words that it takes are: add NAME');
    return add(name, projectRoot(cwd), isJson);
  }
  const { tools: sound, prefixes, mistakes } = await readSoundTools(projectRoot(cwd));
  const own = Object.values(sound).map(ownAdapter);
  const compared = await comparedToCatalogue(sound);
  const builtIn = TOOLS.map((tool): Adapter => {
    const prefix = prefixes[tool];
    return prefix === undefined ? adapterOf(tool) : { ...adapterOf(tool), prefix };
  });
  const tools = [...builtIn, ...own].map((adapter) => listed(adapter, cwd, compared[adapter.tool] ?? null));
  const catalogue = Object.entries(CATALOGUE).map(([tool, { tested }]) => ({ tool, tested }));
  const out = isJson
    ? JSON.stringify({ schema: 1, tools, catalogue }, null, 2)
    : [
        ...tableLines(COLUMNS, tools.map(cellsOf), sheetOf(process.env)),
        `\nCatalogue (${launcherIn(process.env)} tools add NAME):`,
        ...catalogue.map(({ tool, tested }) => catalogueLine(tool, tested, compared[tool])),
      ].join('\n');
  if (mistakes.length === 0) return { exit: TOLLGATE_EXIT.ok, out: `${out}\n` };
  const err = mistakes.map((one) => `${SPEC.name}: ${one}\n`).join('');
  return { exit: TOLLGATE_EXIT.badInput, out: `${out}\n`, err };
}

const invalid = badInputOf(SPEC.name);

async function add(tool: string, root: string, isJson: boolean): Promise<Ran> {
  const added = await addFromCatalogue(tool, root);
  if (added.how === 'refused') return invalid(added.message);
  const { tested, row } = CATALOGUE[tool]!;
  const { how: state, file } = added;
  if (isJson) return { exit: TOLLGATE_EXIT.ok, out: `${JSON.stringify({ schema: 1, tool, state, file, tested })}\n` };
  const { package: packageName } = row as { package?: string };
  const lines = [
    state === 'added'
      ? `${tool} is described in ${file} now (${testedWords(tested)}).`
      : `${tool} is in ${file} already.`,
    ...(packageName === undefined ? [] : [`install it:  npm install -g ${packageName}`]),
    `call it:     ${launcherIn(process.env)} call ${tool} "PROMPT" --trust-workspace`,
  ];
  return { exit: TOLLGATE_EXIT.ok, out: `${lines.join('\n')}\n` };
}

const testedWords = (tested: string | null): string => (tested === null ? 'not tested' : `tested with ${tested}`);

function catalogueLine(tool: string, tested: string | null, compared: 'same' | 'other' | undefined): string {
  const here = { same: ', in tollgate.yaml', other: ', but the description in tollgate.yaml counts instead' };
  return `  ${tool.padEnd(9)} ${testedWords(tested)}${compared === undefined ? '' : here[compared]}`;
}

function listed(adapter: Adapter, cwd: string, catalogue: ToolListed['catalogue']): ToolListed {
  const { tool, command, packageName, described, prefix = null } = adapter;
  const surroundings = { environment: process.env, home: homeOf(process.env) ?? cwd, cwd };
  const found = findCli(programOf(adapter), surroundings, projectRoot(cwd))?.file ?? null;
  const version = found === null || packageName === '' || prefix !== null ? null : versionOfPackage(found, packageName);
  const common = { tool, command, prefix, binary: found, version, catalogue };
  if (described === undefined) {
    const { from, below } = TESTED_VERSIONS[tool as keyof typeof TESTED_VERSIONS];
    const tested = `from ${from} up to, but not including, ${below}`;
    return { ...common, kind: 'built_in', tested, access: [...ACCESS], ...ALL, output: 'events' };
  }
  const { row } = described;
  const places = row.argv.flat().flatMap(placesIn);
  return {
    ...common,
    kind: 'described',
    tested: catalogue === 'same' ? CATALOGUE[tool]!.tested : null,
    access: ACCESS.filter((mode) => row.access === null || row.access[mode] !== undefined),
    takes_model: places.includes('model'),
    resumes: places.includes('session'),
    reads_sessions: false,
    output: row.output === 'lines' ? 'events' : row.output,
  };
}

const ACCESS = ['read', 'write', 'full'] as const satisfies readonly Access[];
const ALL = { takes_model: true, resumes: true, reads_sessions: true };

const COLUMNS = [
  { heading: 'CLI' },
  { heading: 'CALL' },
  { heading: 'VERSION' },
  { heading: 'ACCESS', leaveOut: 1 },
  { heading: 'MODEL' },
  { heading: 'RESUME' },
  { heading: 'UNDO' },
  { heading: 'BINARY', leaveOut: 2 },
];

const cellsOf = (row: ToolListed): string[] => [
  row.tool,
  row.command,
  row.version ?? (row.binary === null ? 'not found' : 'unknown'),
  row.access.join(' ') || 'none',
  ...[row.takes_model, row.resumes, row.reads_sessions].map((can) => (can ? 'yes' : 'no')),
  [...(row.prefix === null ? [] : ['prefix']), row.binary ?? ''].join(' '),
];
