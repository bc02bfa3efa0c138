// Reads the state of the machine from preflight, and of each CLI: its path, its version, and its sign-in.

import { TOOLS } from '../../../policies/facts/tools.ts';
import { projectRoot } from '../../../state/task-folder.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { findCli } from '../../../wrappers/cli-search.ts';
import { versionOfPackage } from '../../../wrappers/cli-version.ts';
import { homeOf } from '../../../wrappers/home.ts';
import type { SignIn } from '../../../wrappers/sign-in/sign-in.ts';
import type { MachineShown } from '../../contract/machine.ts';
import { answerWith, type Reply, refusedBy, type ServedProject } from '../project.ts';

export async function machineShown({ cwd, environment, commands }: ServedProject): Promise<Reply> {
  const checked = await commands.read(['preflight', '--quick']);
  if (!Array.isArray(checked.object.findings)) return refusedBy(checked);
  const surroundings = { environment, home: homeOf(environment) ?? cwd, cwd };
  const clis = TOOLS.map((tool) => {
    const { binary, packageName, signIn } = ADAPTERS[tool];
    const path = findCli(binary, surroundings, projectRoot(cwd))?.file ?? null;
    const version = path === null ? null : versionOfPackage(path, packageName);
    return { tool, version, path, signed_in: signInWords(signIn(surroundings)) };
  });
  const shown: MachineShown = { findings: checked.object.findings as MachineShown['findings'], clis };
  return answerWith(shown);
}

const signInWords = (found: SignIn): string =>
  found.how === 'signed_in'
    ? `signed in by ${found.by}`
    : `${found.how === 'unclear' ? 'unclear' : 'signed out'}: ${found.because}`;
