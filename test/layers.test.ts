// The house stands as ARCHITECTURE.md draws it: who may import whom, one door for each package, small files that say what they are.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RUN_FLAGS } from '../loops/task/run-options.ts';

const ROOMS = {
  policies: ['policies'],
  wrappers: ['policies', 'wrappers'],
  state: ['policies', 'state'],
  loops: ['policies', 'wrappers', 'state', 'loops'],
  library: ['policies', 'wrappers', 'state', 'loops', 'library'],
  console: ['policies', 'wrappers', 'state', 'loops', 'console'],
  fleet: ['policies', 'wrappers', 'state', 'loops', 'fleet'],
  preflight: ['policies', 'wrappers', 'state', 'loops'],
  bin: ['policies', 'wrappers', 'state', 'loops', 'console', 'fleet', 'preflight', 'bin', 'package.json'],
} as const satisfies Record<string, readonly string[]>;

/** What opens and replaces files carefully; all who have a disk stand on it, and it stands on nothing but itself. */
const GROUND = 'state/disk/';

/** Each package has one door, or two; a type alone loads nothing and needs none. */
const DOORS: Record<string, string[]> = {
  '@codemirror/autocomplete': ['console/page/manifest/editor.ts'],
  '@codemirror/commands': ['console/page/manifest/editor.ts'],
  '@codemirror/lang-yaml': ['console/page/manifest/editor.ts'],
  '@codemirror/language': ['console/page/manifest/editor.ts'],
  '@codemirror/legacy-modes/mode': ['console/page/text/code-colours.ts'],
  '@codemirror/state': ['console/page/manifest/editor.ts'],
  '@codemirror/streamparser': ['console/page/text/code-colours.ts'],
  '@codemirror/view': ['console/page/manifest/editor.ts'],
  '@lezer/highlight': ['console/page/manifest/editor.ts'],
  '@preact/signals': ['console/page/reactive.ts'],
  '@tanstack/virtual-core': ['console/page/parts/table.tsx'],
  preact: ['console/page/reactive.ts'],
  'preact/hooks': ['console/page/reactive.ts'],
  '@clack/prompts': ['bin/tollgate/new-task/ask-task.ts', 'bin/tollgate/sessions/recover-menu.ts'],
  '@modelcontextprotocol/server': ['bin/tollgate/mcp/serve.ts'],
  '@modelcontextprotocol/server/stdio': ['bin/tollgate/mcp/serve.ts'],
  '@google/genai/web': ['wrappers/gemini-api/client.ts'],
  '@opentelemetry/api': ['loops/upkeep/send-spans.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['loops/upkeep/send-spans.ts'],
  '@opentelemetry/resources': ['loops/upkeep/send-spans.ts'],
  '@opentelemetry/sdk-trace-base': ['loops/upkeep/send-spans.ts'],
  '@opentelemetry/semantic-conventions/incubating': ['policies/report/trace-span.ts'],
  ajv: ['loops/gate/schema.ts'],
  'ajv/dist/2020.js': ['loops/gate/schema.ts'],
  'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf': ['loops/distill/export/render-pdf.ts'],
  execa: ['loops/tree/run-git.ts'],
  'fast-glob': ['loops/task/matches.ts'],
  fontkit: ['loops/distill/export/render-pdf.ts'],
  htmlparser2: ['policies/distill/epub/markup.ts'],
  picocolors: ['bin/sheet.ts'],
  picomatch: ['policies/text/globs.ts'],
  marked: ['console/page/text/tokens.ts', 'policies/distill/export/markdown-tokens.ts'],
  pg: ['fleet/database.ts'],
  'pg-boss': ['fleet/queue.ts'],
  pdfmake: ['loops/distill/export/render-pdf.ts'],
  'pdfmake/build/vfs_fonts.js': ['loops/distill/export/render-pdf.ts'],
  'write-file-atomic': ['state/atomic-file.ts'],
  yaml: ['state/project/yaml-file.ts'],
  yargs: ['bin/help/help.ts'],
  zod: ['state/project/manifest-schema.ts', 'state/project/own-tool-schema.ts', 'state/project/project-schema.ts'],
  yauzl: ['loops/distill/book/archive.ts'],
  'zx/core': ['wrappers/shell.ts'],
};

/** policies are pure: these would give them a disk, a clock, an environment or chance. */
const IMPURE =
  /\bprocess\.(?:env|cwd|argv|pid|hrtime|platform|std\w+|uptime|getBuiltinModule)\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/;

const FILES = [...Object.keys(ROOMS).flatMap((room) => (room === 'preflight' ? [] : sourcesIn(room))), 'preflight.ts'];
const SOURCES = new Map(FILES.map((file) => [file, readFileSync(file, 'utf8')]));

test('every import stays within the table', () => {
  const strays: string[] = [];
  for (const [file, source] of SOURCES)
    for (const imported of importsOf(source)) {
      if (!imported.startsWith('.')) continue;
      const target = path.join(path.dirname(file), imported);
      const allowed: readonly string[] = ROOMS[roomOf(file)];
      if (target.startsWith(GROUND) && roomOf(file) !== 'policies') continue;
      if (!allowed.includes(roomOf(target))) strays.push(`${file} imports ${target}`);
    }
  assert.equal(strays, []);
});

test('the page knows of the server what the contract says, and nothing else', () => {
  const strays = FILES.filter((file) => file.startsWith('console/page/')).flatMap((file) =>
    targetsOf(file, SOURCES.get(file)!)
      .filter((target) => !/^(?:policies|console\/contract|console\/page)\//.test(target))
      .map((target) => `${file} imports ${target}`),
  );
  assert.equal(strays, []);
});

test('no file imports itself by way of others, types included', () => {
  assert.equal(circlesIn(new Map([...SOURCES].map(([file, source]) => [file, targetsOf(file, source)]))), []);
});

test('a circle is found, whatever leads to it', () => {
  const graph = { a: ['b'], b: ['c', 'd'], c: ['b'], d: [] };
  assert.equal(circlesIn(new Map(Object.entries(graph))), ['b > c > b']);
});

/** Folders, bottom up: read in this order they are the walk. `.`: what lies in the room itself. */
const ORDER = {
  loops: [
    ...[
      '.',
      'tree',
      'attempt',
      'limits',
      'session',
      'gate',
      'call',
      'task',
      'guard',
      'upkeep',
      'stage',
      'run',
      'supervise',
    ],
    ...['distill/book', 'distill', 'distill/export'],
    ...['batch', 'report', 'compare'],
  ],
  policies: [
    ...[
      'text',
      'facts',
      'limits',
      'signature',
      'redact',
      'rules',
      'verdict',
      'session',
      'manifest',
      'gate',
      'prompt',
      'report',
    ],
    ...['supervise', 'api-errors', 'distill', 'distill/epub', 'distill/export'],
  ],
} as const satisfies Partial<Record<keyof typeof ROOMS, readonly string[]>>;

for (const [room, order] of Object.entries(ORDER))
  test(`a folder of ${room}/ uses none that comes after it, and ARCHITECTURE tells them all`, () => {
    const placeOf = (file: string) => order.indexOf((path.dirname(path.relative(room, file)) || '.') as never);
    const own = FILES.filter((file) => file.startsWith(`${room}/`));
    const homeless = own.filter((file) => placeOf(file) < 0);
    const strays = own.flatMap((file) =>
      targetsOf(file, SOURCES.get(file)!)
        .filter((target) => target.startsWith(`${room}/`) && placeOf(target) > placeOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    const house = readFileSync('ARCHITECTURE.md', 'utf8').split('\n## ')[1]!;
    const untold = order.filter((folder) => folder !== '.' && !house.includes(`\`${folder}\``));
    assert.equal({ homeless, strays, untold }, { homeless: [], strays: [], untold: [] });
  });

test('no two files export a type of one name', () => {
  const homes = new Map<string, string[]>();
  for (const [file, source] of SOURCES)
    for (const [, name] of source.matchAll(/^export (?:interface|type) (\w+)/gm))
      homes.set(name!, [...(homes.get(name!) ?? []), file]);
  assert.equal(
    [...homes].filter(([, files]) => files.length > 1),
    [],
  );
});

/** What a run is handed from its command down to each call of a stage: whoever needs more of it takes the whole, and copies nothing. */
const HANDED_ON = [
  ...['RunContext', 'RunSettings', 'RunRequest', 'BatchRequest'],
  ...['Composing', 'TaskRun', 'StageRun'],
];

test('no field of what a run is handed stands in two of its interfaces', () => {
  const all = [...SOURCES.values()].join('\n');
  const options = new Set(Object.values(RUN_FLAGS).map(({ option }) => option));
  const homes = new Map<string, string[]>([...options].map((option) => [option, ['RunOptions']]));
  for (const name of HANDED_ON) {
    const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\n([\\s\\S]*?)^\\}`, 'm').exec(all)?.[1] ?? '';
    assert.ok(body !== '', `${name} is no interface any more`);
    for (const [, field] of body.matchAll(/^ {2}(\w+)\??[:(]/gm))
      homes.set(field!, [...(homes.get(field!) ?? []), name]);
  }
  assert.equal(
    [...homes].filter(([, names]) => names.length > 1),
    [],
  );
});

/** Whose exports programs of other people import. */
const OF_THE_LIBRARY = new Set(['library/library.ts', 'library/surface.ts', 'library/call-surface.ts']);

/** What a text names, and no import. */
const NAMED_IN_A_TEXT = new Set([
  'loops/distill/export/render-export.ts inProcess',
  'loops/gate/schema-process.ts inProcess',
  'loops/upkeep/sweep.ts inProcess',
]);

test('what a file exports another one imports, be it a test', () => {
  const importers = [...SOURCES, ...['test', 'bench'].flatMap(scriptsIn).map(withText)];
  const imported = new Set(importers.flatMap(([file, source]) => namesImported(file, source)));
  const idle = [...SOURCES].flatMap(([file, source]) =>
    [...source.matchAll(/^export (?:async )?(?:interface|type|function\*?|const|class) (\w+)/gm)]
      .map(([, name]) => `${file} ${name}`)
      .filter((each) => !imported.has(each) && !imported.has(`${file} *`) && !NAMED_IN_A_TEXT.has(each))
      .filter(() => !OF_THE_LIBRARY.has(file)),
  );
  assert.equal(idle, []);
});

test('no folder has more than 24 files', () => {
  const counts = new Map<string, number>();
  for (const file of FILES) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  assert.equal(
    [...counts].filter(([, count]) => count > 24),
    [],
  );
});

test('tests stand in the folders of what they test', () => {
  const folders = new Set(FILES.map((file) => path.dirname(file)));
  const strays = Object.keys(ROOMS)
    .filter((room) => room !== 'preflight')
    .flatMap((room) => sourcesIn(`test/${room}`))
    .filter((file) => file.endsWith('.test.ts') && !folders.has(path.dirname(path.relative('test', file))));
  assert.equal(strays, []);
});

test('the ground stands on itself alone', () => {
  const strays = [...SOURCES]
    .filter(([file]) => file.startsWith(GROUND))
    .flatMap(([file, source]) => importsOf(source).map((name) => [file, name] as const))
    .filter(([file, name]) => name.startsWith('.') && !path.join(path.dirname(file), name).startsWith(GROUND));
  assert.equal(strays, []);
});

test('every package has its door', () => {
  const doors: Record<string, string[]> = {};
  // One language each is in a module of its own.
  for (const [file, source] of SOURCES)
    for (const name of new Set(loadsOf(source).map((imported) => imported.replace(/(?<=legacy-modes\/mode)\/.*/, ''))))
      if (!name.startsWith('.') && !name.startsWith('node:')) doors[name] = [...(doors[name] ?? []), file];
  for (const files of Object.values(doors)) files.sort();
  for (const files of Object.values(DOORS)) files.sort();
  assert.equal(Object.fromEntries(Object.entries(doors).sort()), Object.fromEntries(Object.entries(DOORS).sort()));
});

test('ARCHITECTURE names each door', () => {
  const rows = readFileSync('ARCHITECTURE.md', 'utf8').matchAll(
    /^\| ((?:`[@\w./-]+`(?:, )?)+) \| ((?:`[\w./-]+\.tsx?`(?:, )?)+) \|/gm,
  );
  const named = (cell: string) => cell.replaceAll('`', '').split(', ');
  const shown = [...rows].flatMap(([, names, files]) =>
    named(names!).map((name) => [name, named(files!).sort()] as const),
  );
  const held = Object.entries(DOORS).filter(
    ([name]) => !['ajv/dist/2020.js', 'pdfmake/build/vfs_fonts.js'].includes(name),
  );
  assert.equal(Object.fromEntries(shown), Object.fromEntries(held.map(([name, files]) => [name, [...files].sort()])));
});

/** What builds, checks and tests; every other package is bundled, and none is installed beside the package. */
const TOOLS_OF_OURS =
  /^(?:@actions\/workflow-parser|@biomejs\/biome|@eslint-community\/regexpp|@modelcontextprotocol\/client|@types\/.+|axe-core|esbuild|fast-check|playwright-core|tsx|typescript|uvu)$/;

test('every dependency is bundled, and used through three files at most', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  assert.is(dependencies, undefined);
  const bundled = Object.keys(devDependencies!).filter((name) => !TOOLS_OF_OURS.test(name));
  const users = new Map(bundled.map((name) => [name, new Set<string>()]));
  for (const [file, source] of SOURCES)
    for (const imported of loadsOf(source)) users.get(packageOf(imported))?.add(file);
  const wrong = [...users].filter(([, files]) => files.size === 0 || files.size > 3);
  assert.equal(
    wrong.map(([name, files]) => `${name}: ${[...files].join(', ') || 'imported nowhere'}`),
    [],
  );
});

test('policies are pure', () => {
  const inPolicies = FILES.filter((file) => roomOf(file) === 'policies');
  const impure = inPolicies.filter((file) => IMPURE.test(codeOf(SOURCES.get(file)!)));
  // A hash is a function of its input, and the only thing of Node's own that is allowed.
  const systems = inPolicies.flatMap((file) =>
    importsOf(SOURCES.get(file)!).filter((name) => /^node:(?!crypto$)/.test(name)),
  );
  assert.equal({ impure, systems }, { impure: [], systems: [] });
});

test('every file opens with one sentence, and none is over 400 lines', () => {
  const mute = FILES.filter((file) => !/^\/\/ \w.*[.:?]\n/.test(SOURCES.get(file)!));
  const long = FILES.filter((file) => SOURCES.get(file)!.split('\n').length > 400);
  assert.equal({ mute, long }, { mute: [], long: [] });
});

test('no file is a drawer for whatever has no name', () => {
  const drawers = FILES.filter((file) => /^(utils?|helpers?|common|types|constants)\.ts$/.test(path.basename(file)));
  assert.equal(drawers, []);
});

test('only the two ends of a command print or exit', () => {
  const loud = FILES.filter((file) => /process\.exit\(|console\.|process\.exitCode/.test(codeOf(SOURCES.get(file)!)));
  assert.equal(loud, ['bin/command.ts']);
});

test('the streams of a command are written to through one door', () => {
  const strays = FILES.filter((file) =>
    /process\.(?:stderr|stdout(?!\.(?:isTTY|columns)))/.test(codeOf(SOURCES.get(file)!)),
  );
  assert.equal(strays, []);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => /\.tsx?$/.test(file))
    .sort();
}

/** Without the packages and the captures, of which there are tens of thousands. */
function scriptsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'corpus'].includes(entry.name) ? [] : scriptsIn(at);
    return /\.m?ts$|\.mjs$/.test(entry.name) ? [at] : [];
  });
}

const withText = (file: string): [file: string, source: string] => [file, readFileSync(file, 'utf8')];

/** `FILE NAME` for each name that is imported; `FILE *` of a whole one. What is loaded late may be any word of its importer. */
function namesImported(file: string, source: string): string[] {
  const to = (imported: string) => path.join(path.dirname(file), imported);
  const named = [...source.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)].flatMap(
    ([, names, from]) =>
      names!.split(',').map(
        (name) =>
          `${to(from!)} ${
            name
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0]
          }`,
      ),
  );
  const whole = [...source.matchAll(/import \* as \w+ from '(\.[^']+)'/g)].map(([, from]) => `${to(from!)} *`);
  const late = [...source.matchAll(/import\('(\.[^']+)'\)/g)].flatMap(([, from]) =>
    source.match(/\w+/g)!.map((word) => `${to(from!)} ${word}`),
  );
  return [...named, ...whole, ...late];
}

const targetsOf = (file: string, source: string): string[] =>
  importsOf(source)
    .filter((name) => name.startsWith('.'))
    .map((name) => path.join(path.dirname(file), name));

/** One for each file that a way leads back from, the shortest of its ways. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  return [...graph.keys()].flatMap((file) => {
    if (done.has(file)) return [];
    const ways = [[file]];
    const met = new Set<string>();
    for (const way of ways) {
      for (const next of graph.get(way.at(-1)!) ?? []) {
        if (next === file) {
          for (const one of way) done.add(one);
          return [[...way, file].join(' > ')];
        }
        if (!met.has(next)) ways.push([...way, next]);
        met.add(next);
      }
    }
    return [];
  });
}

function importsOf(source: string): string[] {
  const found = source.matchAll(/(?:^|\n)(?:import|export)[^;]*?from\s+'([^']+)'|import\('([^']+)'\)/g);
  return [...found].map((match) => match[1] ?? match[2] ?? '');
}

/** Without what is imported for its types alone. */
const loadsOf = (source: string): string[] => importsOf(source.replace(/(^|\n)(?:import|export) type [^;]*;/g, '$1'));

/** `zx/core` is of the package zx. */
const packageOf = (imported: string): string =>
  imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/');

function roomOf(file: string): keyof typeof ROOMS {
  return file.split(path.sep)[0]!.replace(/^preflight\.ts$/, 'preflight') as keyof typeof ROOMS;
}

/** Without comments and texts. */
function codeOf(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

test.run();
