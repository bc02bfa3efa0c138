// Implements tollgate call: calls any built-in or described CLI once, with the flags of the wrappers.

import { type Dispatch, takeDispatch } from '../../loops/attempt/dispatch.ts';
import { UNKNOWN_CALL } from '../../loops/attempt/restored-draft.ts';
import { startableCall } from '../../loops/call/check.ts';
import { findAdapter } from '../../loops/call/find-adapter.ts';
import { launcherIn } from '../../loops/launcher.ts';
import { MAX_TIMEOUT_MS } from '../../policies/facts/deadline.ts';
import { OWN_EXIT, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { namedAccount, readAccounts } from '../../state/accounts.ts';
import { isTrustedFolder } from '../../state/trusted-folders.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';
import { readArguments } from '../command.ts';
import { type CommandSpec, HELP_FLAGS } from '../command-line.ts';
import { printing } from '../printing.ts';
import type { Ran } from '../ran.ts';
import { runWrapper, toolOfSession } from '../wrapper/wrapper-command.ts';
import { COMMON_FLAGS, WRAPPER_FLAGS } from '../wrapper/wrapper-flags.ts';
import { undispatched } from '../wrapper/wrapper-mistake.ts';

const SPEC: CommandSpec = {
  name: 'tollgate call',
  usage: '[TOOL] [PROMPT] [-f FILE] [options]',
  about:
    'Runs one CLI once, with the flags and the guarantees of its wrapper: a built-in one, or one that tools of tollgate.yaml describes.',
  flags: {
    ...WRAPPER_FLAGS,
    'timeout-ms': { takes: 'number', min: 1, max: MAX_TIMEOUT_MS, about: 'end the call after this time' },
  },
  common: COMMON_FLAGS,
  words: {
    min: 0,
    max: 2,
    called: 'TOOL (tollgate tools lists them; tollgate call TOOL --help lists all of its flags)',
  },
  examples: [
    ['tollgate call codex "what is this repository"', 'the answer on stdout, the files in .tmp/calls/'],
    ['git diff | tollgate call claude', 'the prompt from stdin'],
    ['tollgate call "say hello"', 'by the first CLI that is installed and signed in'],
    ['tollgate call codex --session login "…"', 'resumes the session of that name'],
    ['tollgate call --last "…"', 'resumes the session of the previous call'],
    ['tollgate call codex -f ask.md --out answer.md --err log.txt', 'like run_codex'],
    ['tollgate call mine -f ask.md --trust-workspace', 'a CLI that tollgate.yaml describes'],
  ],
  exits: [
    [0, "success, and the answer is not empty; else the wrapper's own codes"],
    [
      Object.values(OWN_EXIT).sort().join(', '),
      'a CLI that tollgate.yaml describes: missing binary, bad input, failure, timeout, unless it says otherwise',
    ],
    [TOLLGATE_EXIT.badInput, 'there is no such CLI, none is ready, or the workspace is not trusted'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const [word, ...rest] = argv;
  if (word === undefined || word.startsWith('-') || /\s/.test(word)) {
    const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
    if (read.how === 'ended') return read.ran;
    const [first, second] = read.args.words;
    // Otherwise the name would be sent as the prompt, to another CLI.
    if (first !== undefined && !/\s/.test(first) && (second !== undefined || isBuiltIn(first)) && !argv.includes('--'))
      return {
        exit: TOLLGATE_EXIT.badInput,
        err: `${SPEC.name}: name the CLI before the flags: tollgate call ${first} …\n`,
      };
    const account = read.args.text.account;
    const ofAccount = account === undefined ? null : await toolOfAccount(account);
    if (typeof ofAccount === 'string') return { exit: TOLLGATE_EXIT.badInput, err: `${SPEC.name}: ${ofAccount}\n` };
    const tool = ofAccount?.tool ?? (await toolOfSession(read.args));
    return tool === null ? callFirstReady(argv) : run([tool, ...argv]);
  }
  const taken = takeDispatch(rest);
  if ('file' in taken) return undispatched(SPEC.name, taken, rest, TOLLGATE_EXIT.badInput);
  const found = await adapterFor(word, taken.argv, taken.dispatch);
  if (typeof found === 'string') return { exit: TOLLGATE_EXIT.badInput, err: `tollgate call: ${found}\n` };
  return runWrapper(asTyped(found), taken);
}

/** Messages, help and next commands name the command that the user typed, and not the wrapper. */
const asTyped = (adapter: Adapter): Adapter => ({
  ...adapter,
  command: `${launcherIn(process.env)} call ${adapter.tool}`,
});

/** @returns a sentence if there is no such account. */
async function toolOfAccount(name: string) {
  const accounts = await readAccounts(process.env, process.cwd());
  return typeof accounts === 'string' ? accounts : namedAccount(name, accounts, process.env);
}

/** The first argument is a flag or a prompt, and names no CLI. */
async function callFirstReady(argv: readonly string[]): Promise<Ran> {
  const cwd = process.cwd();
  const trustWorkspace = argv.includes('--trust-workspace') || isTrustedFolder(cwd, process.env);
  const call = { ...UNKNOWN_CALL, cwd, environment: process.env, trustWorkspace };
  const mistakes: string[] = [];
  for (const tool of TOOLS) {
    const found = startableCall(adapterOf(tool), call);
    if (found.how === 'refused') {
      mistakes.push(`  ${tool}: ${found.refusal.message}`);
      continue;
    }
    if (!argv.includes('--quiet'))
      printing('stderr').write(`${SPEC.name}: calling ${tool}, the first CLI that is installed and signed in\n`);
    return runWrapper(asTyped(adapterOf(tool)), { dispatch: null, argv });
  }
  const err = `${SPEC.name}: no CLI can be called here, so nothing was started:\n${mistakes.join('\n')}\n`;
  return { exit: TOLLGATE_EXIT.badInput, err };
}

/** @returns the adapter, or a sentence that says why there is none. */
async function adapterFor(name: string, argv: readonly string[], dispatch: Dispatch | null): Promise<Adapter | string> {
  if (isBuiltIn(name)) return adapterOf(name);
  // Uses the description that the dispatcher read, because an agent may have changed the file since then.
  if (dispatch?.own_tool?.name === name) return ownAdapter(dispatch.own_tool);
  return findAdapter(name, {
    cwd: process.cwd(),
    environment: process.env,
    isTrusted: argv.includes('--trust-workspace') || argv.some((word) => HELP_FLAGS.includes(word)),
    wayToTrust: 'add --trust-workspace',
    wayToCall: (near) =>
      near === null
        ? `If it is the prompt, name the CLI first: tollgate call codex ${name}`
        : `Use: tollgate call ${near} …`,
  });
}
