// Reads the project's own rules from the tollgate.yaml of the folder in which a command runs.

import type { Rule } from '../../policies/rules/rule.ts';
import { compileRow } from '../../policies/verdict/own-row.ts';
import { projectFile, readProject } from '../../state/project/project.ts';
import type { YamlRead } from '../../state/project/yaml-file.ts';
import { projectRoot } from '../../state/task-folder.ts';

export type OwnRules =
  /** `lineOf` returns a rule's line; `file` is null if the project has none. */
  | { how: 'read'; file: string | null; rules: readonly Rule[]; lineOf(rule: Rule): number }
  | (Extract<YamlRead<never>, { how: 'invalid' }> & { file: string | null });

/** Returns the compiled rules and the line of each in the file; `invalid` if the file cannot be used. */
export async function readOwnRules(cwd: string): Promise<OwnRules> {
  const root = projectRoot(cwd);
  const file = projectFile(root);
  const read = await readProject(root);
  if (read.how === 'invalid') return { ...read, file };
  const rules = read.value.triage.rules.map(compileRow);
  return { how: 'read', file, rules, lineOf: (rule) => read.lineOf(['triage', 'rules', rules.indexOf(rule)]) };
}
