// Prints the help of every command as one JSON object, which build.mjs keeps beside them. It is no command itself.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { runCommand } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { PREFLIGHT_SPEC } from '../preflight-command.ts';
import type { Ran } from '../ran.ts';
import { SUBCOMMANDS } from '../tollgate/subcommands.ts';
import { WAIT_SPEC } from '../wait-command.ts';
import { wrapperSpec } from '../wrapper/wrapper-flags.ts';
import { renderHelp } from './help.ts';

const specs: CommandSpec[] = [...TOOLS.map((tool) => wrapperSpec(adapterOf(tool))), PREFLIGHT_SPEC, WAIT_SPEC];

async function everyHelp(): Promise<Ran> {
  const texts: Record<string, string> = {};
  for (const spec of specs) texts[spec.name] = await renderHelp(spec);
  for (const [word, { load }] of Object.entries(SUBCOMMANDS)) {
    const { out = '' } = await (await load()).run(['--help']);
    texts[`tollgate ${word}`] = out;
  }
  return { exit: TOLLGATE_EXIT.ok, out: JSON.stringify(texts) };
}

void runCommand({ name: 'every-help', run: everyHelp, failure: TOLLGATE_EXIT.failure });
