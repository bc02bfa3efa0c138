// Gives next actions for problems of the machine, the installation and the settings, which block every call.

import { goOnLine, type NextAction, toDo, toType } from '../facts/next-action.ts';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { shellWord } from '../text/display.ts';
import {
  change,
  goOn,
  isOwnCall,
  preflight,
  readFirst,
  rerun,
  type Situation,
  thenRerun,
  type WayOut,
} from './situation.ts';

const SETTINGS = {
  gemini: '~/.gemini/settings.json (and .gemini/settings.json of the project)',
  copilot: '~/.copilot/config.json and ~/.copilot/settings.json',
  codex: '~/.codex/config.toml (and .codex/config.toml of the project)',
  claude: '~/.claude/settings.json and ~/.claude.json (and .claude/settings.json of the project)',
} as const satisfies Record<BuiltIn, string>;

const settingsOf = (tool: Tool): string =>
  rowOf(SETTINGS, tool, `where ${tool} keeps them, and tools.${tool} of tollgate.yaml`);

/** Where the address of the service is set that a CLI cannot use. */
const ADDRESS = {
  gemini: 'GOOGLE_VERTEX_BASE_URL or GOOGLE_GEMINI_BASE_URL',
  copilot: 'COPILOT_PROVIDER_BASE_URL',
  codex: '`base_url` of the provider in ~/.codex/config.toml',
  claude: 'ANTHROPIC_BASE_URL (in the environment, or in `env` of its settings)',
} as const satisfies Record<BuiltIn, string>;

/** What a CLI says about a mistake in a variable that it does not name. */
const UNNAMED: Readonly<Record<BuiltIn, readonly [said: RegExp, fix: string][]>> = {
  gemini: [],
  copilot: [
    [/^Invalid provider type\b/, 'correct COPILOT_PROVIDER_TYPE as the evidence says, or unset it'],
    [/^Invalid wire API\b/, 'correct COPILOT_PROVIDER_WIRE_API as the evidence says, or unset it'],
    [
      /\brequire an explicit model\b/,
      'set COPILOT_MODEL, or the model of the call: a provider of your own has no default',
    ],
  ],
  codex: [],
  claude: [],
};

/** A variable or a file that the evidence names is at fault. */
const VARIABLE = /\b[A-Z]{2,20}(?:_[A-Z]{2,20}){1,8}\b(?=:|` environment| points to\b)/;
const FILE = /(?<=^|[\s"'(])(?:~|\/)[^\s"':]{1,300}\.(?:rules|toml|jsonc?|ya?ml)\b/;

function fixSettings({ tool, key, verdict: { evidence } }: Situation): string {
  if (key?.how === 'signed_out' && key.config) return key.fix;
  if (evidence?.rule === 'setup-address')
    return `correct ${rowOf(ADDRESS, tool, `the address of the service of ${tool}`)}: it begins with https://`;
  const text = evidence?.text ?? '';
  const unnamed = rowOf(UNNAMED, tool, []).find(([said]) => said.test(text));
  if (unnamed !== undefined) return unnamed[1];
  const named = VARIABLE.exec(text)?.[0] ?? FILE.exec(text)?.[0];
  return named === undefined
    ? `fix the settings of ${tool}: ${settingsOf(tool)}`
    : `correct ${named} as the evidence says`;
}

const install = ({ tool, packageName = tool }: Situation, why = `install ${tool}`): NextAction =>
  packageName === ''
    ? toDo(`${why}, or fix tools.${tool} of tollgate.yaml`)
    : toType(why, `npm install -g ${packageName}`);

const checked: WayOut = (situation) => [preflight(situation), thenRerun(situation)];

const fixThenRerun =
  (what: string): WayOut =>
  (situation) => [toDo(what), thenRerun(situation)];

const promptOfCall = fixThenRerun('write the request into the prompt file that the evidence names');

/** The folder for temporary files is missing, or is none. */
const NO_TEMPORARY = /\b(?:ENOENT|ENOTDIR)\b[^\n]{0,60} mkdtemp '([^'\n]{1,400})\/tg-/;

const reinstalled: WayOut = (situation) => [install(situation), ...checked(situation)];

/** What an older Node.js says to a newer program; an export that is missing, for example. */
const OLD_NODE =
  /\bbuilt-?in module\b|\bES Module\b|\bprovide an export named\b|\bis not (?:defined|a function)\b|\brequires node\b|\bnode(?:\.js)? version\b|\bunsupported engine\b|(?<!near )\bunexpected token\b/i;
/** A C library that is too old or another one, or a missing library of the system. */
const OLD_SYSTEM = /\bGLIBC|\bmusl\b|\bsymbol not found\b|\bshared (?:librar|object)/i;

function reinstalledHere(situation: Situation): NextAction[] {
  const text = situation.verdict.evidence?.text ?? '';
  const first = OLD_NODE.test(text)
    ? [toDo(`install a newer Node.js (\`node --version\` shows this one), which ${situation.tool} needs`)]
    : OLD_SYSTEM.test(text)
      ? [toDo(`use a newer system, or the build of ${situation.tool} for the C library of this one (glibc or musl)`)]
      : [];
  return [...first, ...reinstalled(situation)];
}

export const MACHINE_ACTIONS = {
  binary_missing: reinstalled,
  not_described: (situation) => [...readFirst(situation), rerun(situation)],
  no_answer_field: (situation) => [
    ...(situation.eventsFile ? [toDo(`read ${situation.eventsFile}, which holds the output`)] : []),
    toDo(`fix output, document or events of tools.${situation.tool} in tollgate.yaml`),
    thenRerun(situation),
  ],
  bad_prefix: (situation) => [
    toDo(`fix tools.${situation.tool}.prefix of tollgate.yaml as the evidence says`),
    ...checked(situation),
  ],
  broken_install: reinstalledHere,
  bad_flag: (situation) => [
    install(
      situation,
      `correct the flag that the evidence names, or install a version of ${situation.tool} that knows it`,
    ),
    ...checked(situation),
  ],
  bad_input: (situation) => [...readFirst(situation), ...checked(situation)],
  bad_request: (situation) => [
    ...readFirst(situation),
    toDo(
      'fix what the evidence says was wrong with the request (a tool or MCP server with a bad schema, a model that does not take it)',
    ),
    thenRerun(situation),
  ],
  config: (situation) => [toDo(fixSettings(situation)), ...checked(situation)],
  hook_stopped: (situation) => [
    toDo(`a hook of ${situation.tool} stopped the call: look it up in ${settingsOf(situation.tool)}`),
    thenRerun(situation),
  ],
  sandbox: (situation) => [
    toDo(
      `make sure that the sandbox of ${situation.tool} can start here (user namespaces, bwrap, Docker), or turn it off in ${settingsOf(situation.tool)}`,
    ),
    ...checked(situation),
  ],
  certificate: fixThenRerun(
    'name the CA of your network in NODE_EXTRA_CA_CERTS (codex: SSL_CERT_FILE), or correct the clock of this machine',
  ),
  untrusted: (situation) => [
    goOn(situation, 'only if you trust this folder, continue', { ...situation.called, trusts: true }),
  ],
  git: fixThenRerun(
    'make sure that the working folder is a git repository that you own (`git status` there shows the problem)',
  ),
  no_prompt: (situation) => (isOwnCall(situation) ? promptOfCall(situation) : checked(situation)),
  out_of_memory: fixThenRerun('free memory, or run fewer calls at once (--concurrency)'),
  crashed: (situation) => [
    ...readFirst(situation),
    rerun(situation, `call ${situation.tool} again: a crash may not repeat`),
    install(situation, `if it crashes again, install another version of ${situation.tool}`),
  ],
  permission: fixThenRerun('grant yourself read and write access to what the evidence names'),
  missing_file: fixThenRerun('create the file that the evidence names, or fix the setting that names it'),
  too_many_files: fixThenRerun(
    'raise the limit of open files and processes (ulimit -n, ulimit -u), or run fewer calls at once',
  ),
  watchers_exhausted: fixThenRerun(
    'raise the limit of file watchers (sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024), or end programs that watch many files; the disk is not full',
  ),
  state_database: (situation) => [
    toDo(
      `see that no other ${situation.tool} is running, or move its database, which the evidence names, out of the way`,
    ),
    thenRerun(situation),
  ],
  file_system: fixThenRerun('make sure that the disk works and has space (df -h, dmesg)'),
  disk: (situation) => {
    const temporary = NO_TEMPORARY.exec(situation.verdict.evidence?.text ?? '')?.[1];
    const way =
      temporary === undefined
        ? 'free space on the disk that the evidence names, or make it writable'
        : `make the folder that TMPDIR names (mkdir -p ${shellWord(temporary)}), or unset TMPDIR`;
    return fixThenRerun(way)(situation);
  },
  disk_full: fixThenRerun('free space on the disk: df -h'),
  state_unwritable: fixThenRerun('make the state folder that the evidence names writable, with space on its disk'),
  bad_state: fixThenRerun('fix the state as the evidence says'),
  no_working_folder: (situation) => [change(situation, 'cwd', 'set a folder that exists'), thenRerun(situation)],
  session_elsewhere: (situation) => [
    change(situation, 'cwd', 'set the folder of its session, which the evidence names'),
    thenRerun(situation),
  ],
  empty_prompt: (situation) =>
    isOwnCall(situation)
      ? promptOfCall(situation)
      : fixThenRerun('state the request in `goal` of the manifest, or in inputs/user_request.md')(situation),
  unwritable_output: fixThenRerun('make the folder that the evidence names writable'),
  not_started: (situation) => [...readFirst(situation), ...checked(situation)],
  not_prepared: (situation) => [rerun(situation, 'fix what the evidence names, then continue')],
  prompt_changed: ({ called, tool }) => [
    toType('keep the existing answers (free)', goOnLine(called, '--keep-all')),
    toType(`or call ${tool} again`, goOnLine(called, '--redo-all'), 'pays'),
  ],
  wrapper_failed: (situation) => [
    ...checked(situation),
    toDo('if it fails the same way again, report it as a bug of tollgate, with the evidence'),
  ],
} as const satisfies Record<string, WayOut>;
