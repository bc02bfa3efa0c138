// Prints the help and the completions of every command as one JSON object, which build/build.mjs keeps in files. Not a command.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { runCommand } from '../command.ts';
import { type CommandSpec, SHARED_FLAGS } from '../command-line.ts';
import { PREFLIGHT_SPEC } from '../preflight-command.ts';
import type { Ran } from '../ran.ts';
import type { CompletedCommand } from '../tollgate/completion/table.ts';
import { SUBCOMMANDS } from '../tollgate/subcommands.ts';
import { WAIT_SPEC } from '../wait-command.ts';
import { wrapperSpec } from '../wrapper/wrapper-flags.ts';
import { renderHelp } from './help.ts';
import { keptFile } from './kept-help.ts';

const specs: CommandSpec[] = [...TOOLS.map((tool) => wrapperSpec(adapterOf(tool))), PREFLIGHT_SPEC, WAIT_SPEC];

async function everyHelp(): Promise<Ran> {
  const texts: Record<string, string> = {};
  const completed: Record<string, CompletedCommand> = {};
  const keep = async (spec: CommandSpec) => {
    texts[keptFile(spec.name, 'full')] = await renderHelp(spec, 'full');
    if (spec.common) texts[keptFile(spec.name, 'short')] = await renderHelp(spec, 'short');
  };
  for (const spec of specs) {
    await keep(spec);
    completed[spec.name] = completedOf(spec.about, null, { ...spec.flags, ...SHARED_FLAGS });
  }
  for (const [word, { about, word: kind, load }] of Object.entries(SUBCOMMANDS)) {
    const { run } = await load();
    const spec = JSON.parse((await run(['--help', '--json'])).out!) as CommandSpec;
    // `tollgate wait` has the help of wait_parallel_tasks.
    await keep(spec);
    completed[`tollgate ${word}`] = completedOf(about, kind, spec.flags);
  }
  return { exit: TOLLGATE_EXIT.ok, out: JSON.stringify({ texts, completed }) };
}

const completedOf = (about: string, word: CompletedCommand['word'], flags: CommandSpec['flags']): CompletedCommand => ({
  ...{ about, word },
  flags: Object.fromEntries(
    Object.entries(flags).map(([name, { takes, about: does, choices }]) => [
      name,
      { takes, about: does, ...(choices === undefined ? {} : { choices }) },
    ]),
  ),
});

void runCommand({ name: 'every-help', run: everyHelp, failure: TOLLGATE_EXIT.failure });
