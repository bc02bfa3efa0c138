// Implements tollgate call: calls any built-in or described CLI once, with the flags of the wrappers.

import { type Dispatch, takeDispatch } from '../../loops/attempt/dispatch.ts';
import { OWN_EXIT, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { isBuiltIn } from '../../policies/facts/tools.ts';
import { readProject } from '../../state/project/project.ts';
import { unknownTool } from '../../state/project/tool-names.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { isTrustedProject } from '../../state/trusted-folders.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';
import { readArguments } from '../command.ts';
import { type CommandSpec, HELP_FLAGS } from '../command-line.ts';
import type { Ran } from '../ran.ts';
import { runWrapper } from '../wrapper/wrapper-command.ts';
import { undispatched } from '../wrapper/wrapper-mistake.ts';

const SPEC: CommandSpec = {
  name: 'tollgate call',
  usage: 'TOOL --prompt-file FILE --out FILE --err FILE [options]',
  about:
    'Runs one CLI once, with the flags and the guarantees of its wrapper: a built-in one, or one that tools of tollgate.yaml describes.',
  flags: {},
  words: {
    min: 1,
    max: 1,
    called: 'TOOL (tollgate tools lists them; tollgate call TOOL --help tells all of its flags)',
  },
  examples: [
    ['tollgate call codex --prompt-file ask.md --out answer.md --err log.txt', 'like run_codex'],
    ['tollgate call mine --prompt-file ask.md --out a --err e --trust-workspace', 'one of tollgate.yaml'],
  ],
  exits: [
    [0, "success, and the answer is not empty; else the wrapper's own codes"],
    [
      Object.values(OWN_EXIT).sort().join(', '),
      'of one of tollgate.yaml: missing binary, bad input, failure, timeout, unless it says otherwise',
    ],
    [TOLLGATE_EXIT.badInput, 'there is no such CLI, or the workspace is not trusted'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const [word, ...rest] = argv;
  if (word === undefined || word.startsWith('-')) {
    const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
    return read.how === 'ended' ? read.ran : { exit: TOLLGATE_EXIT.badInput, err: `${SPEC.name}: TOOL comes first\n` };
  }
  const taken = takeDispatch(rest);
  if ('file' in taken) return undispatched(SPEC.name, taken, rest, TOLLGATE_EXIT.badInput);
  const found = await adapterFor(word, taken.argv, taken.dispatch);
  if (typeof found === 'string') return { exit: TOLLGATE_EXIT.badInput, err: `tollgate call: ${found}\n` };
  return runWrapper(found, taken);
}

/** @returns the adapter, or a sentence that says why there is none. */
async function adapterFor(name: string, argv: readonly string[], dispatch: Dispatch | null): Promise<Adapter | string> {
  if (isBuiltIn(name)) return adapterOf(name);
  // Uses the description that the dispatcher read, because an agent may have changed the file since then.
  if (dispatch?.own_tool?.name === name) return ownAdapter(dispatch.own_tool);
  const project = await readProject(projectRoot(process.cwd()));
  if (project.how === 'invalid') return project.message;
  const { tools, unsound } = project.value;
  if (Object.hasOwn(unsound, name)) return unsound[name]!;
  const unknown = unknownTool(name, Object.keys(tools));
  if (unknown !== null) return `"${name}" is no CLI that is known: it ${unknown}`;
  const asksForHelp = argv.some((word) => HELP_FLAGS.includes(word));
  const trusted = asksForHelp || argv.includes('--trust-workspace') || isTrustedProject(process.cwd(), process.env);
  if (trusted) return ownAdapter(tools[name]!);
  return `tollgate.yaml describes ${name}, and that counts only in a trusted workspace: if you trust it, add --trust-workspace, or run \`tollgate trust\` there once`;
}
