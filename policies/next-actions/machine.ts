// The machine, the installation and the settings: what stands in the way of any call.

import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { change, preflight, readFirst, rerun, type Situation, thenRerun, type WayOut } from './situation.ts';

const SETTINGS = {
  gemini: '~/.gemini/settings.json (and .gemini/settings.json of the project)',
  copilot: '~/.copilot/config.json and ~/.copilot/settings.json',
  codex: '~/.codex/config.toml (and .codex/config.toml of the project)',
  claude: '~/.claude/settings.json and ~/.claude.json (and .claude/settings.json of the project)',
} as const satisfies Record<BuiltIn, string>;

const settingsOf = (tool: Tool): string =>
  rowOf(SETTINGS, tool, `where ${tool} keeps them, and tools.${tool} of tollgate.yaml`);

const install = ({ tool, packageName = tool }: Situation): string =>
  packageName === '' ? `install ${tool}, or mend tools.${tool} of tollgate.yaml` : `npm install -g ${packageName}`;

const checked: WayOut = (situation) => [preflight(situation), rerun(situation)];

const mended =
  (what: string): WayOut =>
  (situation) => [what, thenRerun(situation)];

const reinstalled: WayOut = (situation) => [install(situation), preflight(situation), rerun(situation)];

export const MACHINE_ACTIONS = {
  binary_missing: reinstalled,
  not_described: (situation) => [...readFirst(situation), rerun(situation)],
  no_answer_field: (situation) => [
    ...(situation.eventsFile ? [`read ${situation.eventsFile}, which has what was printed`] : []),
    `mend output, document or events of tools.${situation.tool} in tollgate.yaml`,
    thenRerun(situation),
  ],
  broken_install: reinstalled,
  bad_flag: (situation) => [
    `bring ${situation.tool} to a version that knows the flag: ${install(situation)}`,
    preflight(situation),
    rerun(situation),
  ],
  bad_input: (situation) => [...readFirst(situation), preflight(situation), rerun(situation)],
  bad_request: (situation) => [
    ...readFirst(situation),
    'mend what the evidence says was wrong with the request (a tool or MCP server with a bad schema, a model that does not take it)',
    thenRerun(situation),
  ],
  config: (situation) => [
    `mend the settings of ${situation.tool}: ${settingsOf(situation.tool)}`,
    preflight(situation),
    rerun(situation),
  ],
  hook_stopped: (situation) => [
    `a hook of ${situation.tool} stopped the call: see what it wants in ${settingsOf(situation.tool)}`,
    thenRerun(situation),
  ],
  sandbox: (situation) => [
    `see that the sandbox of ${situation.tool} can start here (user namespaces, bwrap, Docker), or turn it off in ${settingsOf(situation.tool)}`,
    preflight(situation),
    rerun(situation),
  ],
  certificate: mended(
    'name the CA of your network in NODE_EXTRA_CA_CERTS (codex: SSL_CERT_FILE), or see that the clock of this machine is right',
  ),
  untrusted: ({ taskId }) => [`tollgate run ${taskId} --trust-workspace (only if you trust this folder)`],
  git: mended('see that the working folder is a git repository that you own (`git status` there says what it lacks)'),
  no_prompt: checked,
  out_of_memory: mended('free memory, or run fewer calls at once (--concurrency)'),
  crashed: (situation) => [
    ...readFirst(situation),
    rerun(situation, 'a crash may be chance'),
    `if it is so again, bring ${situation.tool} to another version: ${install(situation)}`,
  ],
  permission: mended('give yourself the right to read and write what the evidence names'),
  missing_file: mended('put the file there that the evidence names, or mend the setting that names it'),
  too_many_files: mended(
    'raise the limit of open files and processes (ulimit -n, ulimit -u), or run fewer calls at once',
  ),
  watchers_exhausted: mended(
    'raise the limit of file watchers (sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024), or end programs that watch many files; the disk is not full',
  ),
  state_database: (situation) => [
    `see that no other ${situation.tool} is running, or move its database, which the evidence names, out of the way`,
    thenRerun(situation),
  ],
  file_system: mended('see that the disk works and has space (df -h, dmesg)'),
  disk: mended('make space on the disk that the evidence names, or make it writable'),
  disk_full: mended('make space on the disk: df -h'),
  state_unwritable: mended('make the state folder that the evidence names writable, with space on its disk'),
  bad_state: (situation) => ['mend the state as the evidence says', `then: tollgate run ${situation.taskId}`],
  no_working_folder: (situation) => [change(situation, 'cwd', 'name a folder that exists'), thenRerun(situation)],
  session_elsewhere: (situation) => [
    change(situation, 'cwd', 'name the folder that its session works in, as the evidence says it'),
    thenRerun(situation),
  ],
  empty_prompt: mended('say in `goal` of the manifest, or in inputs/user_request.md, what is asked'),
  unwritable_output: mended('make the folder that the evidence names writable'),
  not_started: (situation) => [...readFirst(situation), ...checked(situation)],
  not_prepared: ({ taskId }) => [`once it is mended: tollgate run ${taskId}`],
  prompt_changed: ({ taskId, tool }) => [
    `tollgate run ${taskId} --keep-all (keeps the answers that are there, pays nothing for them)`,
    `tollgate run ${taskId} --redo-all (asks ${tool} again)`,
  ],
  wrapper_failed: (situation) => [
    ...checked(situation),
    'if it is so again, that is a bug of tollgate: report it with the evidence',
  ],
} as const satisfies Record<string, WayOut>;
