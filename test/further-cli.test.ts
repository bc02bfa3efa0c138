// A further CLI: whatever it does not declare fails to compile, or fails here by name. Tried with one that is made up.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS, TOOLS } from '../policies/facts/tools.ts';

const ROOMS = ['policies', 'wrappers', 'state', 'loops', 'console', 'fleet', 'bin'];

/** Each has a row for each CLI, and does not compile without. */
const TABLES = [
  'policies/api-errors/failures.ts',
  'policies/facts/exit-codes.ts',
  'policies/facts/file-names.ts',
  'policies/facts/tools.ts',
  'policies/gate/command-environment.ts',
  'policies/limits/account.ts',
  'policies/limits/user-accounts.ts',
  'policies/manifest/project-file.ts',
  'policies/manifest/prompt-limits.ts',
  'policies/manifest/tested-versions.ts',
  'policies/report/account-actions.ts',
  'policies/report/machine-actions.ts',
  'policies/report/next-actions.ts',
  'policies/report/request-actions.ts',
  'policies/report/trace-span.ts',
  'policies/verdict/classify.ts',
  'wrappers/adapters.ts',
  'wrappers/checks.ts',
  'wrappers/processes/passed-variables.ts',
  'wrappers/sessions/stores.ts',
];

/** What names a CLI beside, and why no further one has to stand there. A folder ends with a slash. */
const WORDS: Readonly<Record<string, string>> = {
  'bin/claude_headless.ts': 'a command is one of its own: `missing` below asks for it',
  'bin/copilot_tool.ts': 'a command is one of its own',
  'bin/gemini_headless.ts': 'a command is one of its own',
  'bin/run_codex.ts': 'a command is one of its own',
  'bin/preflight-command.ts': 'an example in a help',
  'bin/tollgate/call.ts': 'an example in a help',
  'bin/tollgate/distill/': 'the Gemini API, which is a service and no CLI',
  'bin/tollgate/sessions/sessions.ts': 'an example in a help, and a warning of what only gemini costs',
  'bin/tollgate/report/errors-page.ts': 'the words for a snapshot that only gemini leaves',
  'bin/tollgate/triage/explain.ts': 'an example in a help',
  'bin/tollgate/triage/logs.ts': 'an example in a help',
  'bin/tollgate/triage/triage.ts': 'an example in a help',
  'loops/distill/': 'the Gemini API, which is a service and no CLI',
  'loops/gate/diff.ts': 'the name of a form of patch, whoever answers in it',
  'loops/run/temporaries.ts': 'examples of names of files',
  'bin/tollgate/compare/compare.ts': 'examples',
  'bin/tollgate/fleet.ts': 'examples',
  'fleet/travel/pack.ts': 'names of sign-in files, which never travel',
  'bin/tollgate/machine/doctor.ts': 'an example',
  'policies/manifest/variants.ts': 'an example in a message',
  'bin/tollgate/mcp/mcp.ts': 'examples: how some of them are told of the server',
  'bin/tollgate/mcp/serve.ts': 'whom an agent may ask, in words',
  'console/page/compare/compare-view.tsx': 'an example',
  'console/page/distill/distill-view.tsx': 'models of the Gemini API to choose from',
  'policies/distill/': 'the Gemini API: its models, limits and failures',
  'policies/manifest/manifest-fields.ts': 'examples; and who understands `effort`, which the schema says too',
  'policies/manifest/pipelines.ts': 'which CLI does what in the built-in pipelines',
  'policies/rules/': 'rows of what services and CLIs say: test/captures and test/corpus ask for them',
  'policies/signature/': 'what stderr holds, which test/captures proves, and examples of tokens',
  'policies/verdict/retry-at.ts': 'names of vendors in the names of headers',
  'policies/verdict/stderr-failures.ts': 'what stderr holds',
  'wrappers/gemini-api/': 'the Gemini API, which is a service and no CLI',
  'wrappers/reading.ts': 'a codex that a project describes echoes as codex does',
  'state/labelled-line.ts': 'an example of a name',
};

const NAMED = new RegExp(TOOLS.join('|'), 'i');
const SOURCES = [
  'preflight.ts',
  ...ROOMS.flatMap((room) => readdirSync(room, { recursive: true }).map((name) => path.join(room, String(name)))),
].filter((file) => /\.tsx?$/.test(file) && !TOOLS.some((tool) => file.startsWith(`wrappers/${tool}/`)));

const codeOf = (file: string): string => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');

const isWords = (file: string): boolean =>
  Object.keys(WORDS).some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place));

test('a CLI is named in its own folder and in the tables, and elsewhere in words alone', () => {
  const strays = SOURCES.filter((file) => NAMED.test(codeOf(file)) && !TABLES.includes(file) && !isWords(file));
  assert.equal(strays, []);
});

test('nothing branches on the name of a CLI', () => {
  const branch = new RegExp(`\\btool\\b\\)? [!=]==? '(?:${TOOLS.join('|')})'|case '(?:${TOOLS.join('|')})'`);
  assert.equal(
    SOURCES.filter((file) => branch.test(codeOf(file))),
    [],
  );
});

test('a table without a row for a further CLI does not compile', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'further-'));
  try {
    for (const part of [...ROOMS, 'preflight.ts', 'package.json'])
      cpSync(part, path.join(folder, part), { recursive: true });
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ROOMS }));
    const names = path.join(folder, 'policies/facts/tools.ts');
    writeFileSync(names, readFileSync(names, 'utf8').replace(/(?<=TOOLS = \[.*)\] as const/, ", 'acme'] as const"));
    const tsc = path.join(folder, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const lines = stdout.split('\n').filter((line) => line.includes("Property 'acme' is missing"));
    assert.equal([...new Set(lines.map((line) => line.split('(')[0]!))].sort(), TABLES);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What no compiler asks for: files, commands and pages. */
function missing(tool: string, command: string): string[] {
  const { bin, description } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    bin: Record<string, string>;
    description: string;
  };
  const files = [`bin/${command}.ts`, `wrappers/${tool}/row.ts`, `wrappers/${tool}/sign-in.ts`];
  const captures = readdirSync('test/captures').some((name) => name.startsWith(tool));
  return [
    ...files.filter((file) => !existsSync(file)),
    ...[command, `${command}.sh`].filter((name) => bin[name] !== `dist/${command}.cjs`).map((name) => `bin ${name}`),
    ...(description.includes(tool) ? [] : ['description in package.json']),
    ...(captures ? [] : ['test/captures']),
    ...['README.md', 'ARCHITECTURE.md', 'docs/calls.md'].filter((page) => !readFileSync(page, 'utf8').includes(tool)),
  ];
}

for (const tool of TOOLS)
  test(`${tool} has all that no compiler asks for`, () => assert.equal(missing(tool, COMMANDS[tool]), []));

test('of a further CLI all that is missing is named', () => {
  assert.equal(missing('acme', 'run_acme'), [
    'bin/run_acme.ts',
    'wrappers/acme/row.ts',
    'wrappers/acme/sign-in.ts',
    'bin run_acme',
    'bin run_acme.sh',
    'description in package.json',
    'test/captures',
    'README.md',
    'ARCHITECTURE.md',
    'docs/calls.md',
  ]);
});

test.run();
