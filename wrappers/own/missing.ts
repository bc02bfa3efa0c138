// Why the program of a described CLI is not found, and the way out.

import path from 'node:path';
import type { OwnToolRow } from '../../policies/own-tool/description.ts';

export function missingOwn({ binary, name, packageName }: OwnToolRow): string {
  const field = `tools.${name}.binary of tollgate.yaml`;
  if (path.isAbsolute(binary))
    return `${binary} is no program that can be started (${field}): put it there, and make it executable (chmod +x)`;
  if (BUILTINS.has(binary))
    return `${binary} is a builtin of the shell and no program (${field}): write a script that uses it, and name that, such as ./${name}.sh`;
  const install = packageName === null ? 'install it' : `install it (npm install -g ${packageName})`;
  return `${binary} is not on the PATH (${field}): ${install}, or name its path`;
}

const BUILTINS: ReadonlySet<string> = new Set(
  '. : alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
);
