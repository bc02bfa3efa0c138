// Why the program of a described CLI is not found, and the way out.

import path from 'node:path';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import { isFolder, kindOf } from '../../state/disk/regular-file.ts';

export function missingOwn({ binary, name, packageName }: OwnToolRow): string {
  const field = `tools.${name}.binary of tollgate.yaml`;
  if (path.isAbsolute(binary))
    return `${binary} ${atPath(binary)} (${field})${isCommandLine(ownPart(binary)) ? ONE_WORD : ''}`;
  if (BUILTINS.has(binary))
    return `${binary} is a builtin of the shell and no program (${field}): write a script that uses it, and name that, such as ./${name}.sh`;
  if (isCommandLine(binary)) return `${binary} is not a program on the PATH (${field})${ONE_WORD}`;
  const install = packageName === null ? 'install it' : `install it (npm install -g ${packageName})`;
  return `${binary} is not on the PATH (${field}): ${install}, or name its path, such as ./${binary}; an alias or a function of the shell is not a program`;
}

/** Of a path: what is no name of a folder that is there. */
const ownPart = (file: string): string => (isFolder(path.dirname(file)) ? path.basename(file) : file);

const isCommandLine = (binary: string): boolean => /\s/.test(binary);

const ONE_WORD = ': it is one program, and the words for it stand in argv';

/** Why the program cannot be started: it is missing, or is no program. */
function atPath(file: string): string {
  switch (kindOf(file)) {
    case null:
      return 'is not there: put it there, and make it executable (chmod +x)';
    case 'a folder':
      return 'is a folder: name the program in it';
    case 'a regular file':
      return 'is there and may not be executed: chmod +x';
    case 'a symbolic link':
      return 'is a link that leads to no program: fix it, or name the program';
    default:
      return 'is not a program: name a file that can be executed';
  }
}

const BUILTINS: ReadonlySet<string> = new Set(
  '. : alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap type typeset ulimit umask unalias unset wait case do done elif else esac fi for function if in select then until while'.split(
    ' ',
  ),
);
