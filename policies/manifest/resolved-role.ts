// Resolves a stage's role: the built-in row, changed by the project's row, changed by the stage's own settings.

import type { OnFail } from '../facts/gate-record.ts';
import { keyOf } from '../text/headings.ts';
import { nearest } from '../text/nearest.ts';
import type { ProjectFile, ProjectRole } from './project-file.ts';
import { type BuiltInRole, NO_ROLE, ROLES, type Role } from './roles.ts';

/** The gate's requirements for an answer, as they apply after the stage's own settings. */
export interface ResolvedRole extends Omit<Role, 'access' | 'template'> {
  name: string;
  access: 'read' | 'write' | 'full';
  /** Where its template is: relative to the task's folder, to the project's root, or a built-in row. */
  template: { from: 'task' | 'project'; file: string } | { from: 'built_in'; role: BuiltInRole };
  /** Its answer must give PASS or FAIL. */
  givesVerdict: boolean;
  /** The answer must contain the change, as one unified diff. */
  answersWithDiff: boolean;
  /** The project's rules and templates count only in a trusted workspace. */
  trust: 'trusted' | 'untrusted';
  warnings: string[];
}

type RoleResolved = { how: 'read'; role: ResolvedRole } | { how: 'invalid'; message: string };

/** The fields of a manifest's stage that affect its role. */
export interface StageWords {
  name: string;
  role: string;
  access?: 'read' | 'write' | 'full' | undefined;
  allow_commit?: boolean | undefined;
  prompt?: string | undefined;
  requires?: readonly string[] | undefined;
  min_lines?: number | undefined;
  /** An object affects only the prompt. */
  diff?: boolean | object | undefined;
  on_fail?: OnFail | undefined;
  schema?: object | undefined;
}

export function resolveRole(stage: StageWords, project: ProjectFile, trust: 'trusted' | 'untrusted'): RoleResolved {
  const said = Object.hasOwn(project.roles, stage.role) ? project.roles[stage.role]! : null;
  const row = trust === 'trusted' ? said : null;
  const builtIn = isBuiltIn(stage.role) ? stage.role : null;
  const template = templateOf(stage, row, builtIn);
  if (template === null) return { how: 'invalid', message: noTemplate(stage, project, trust) };
  const role: Role = builtIn === null ? NO_ROLE : ROLES[builtIn];
  const access = stage.access ?? row?.access ?? role.access;
  if (stage.allow_commit && access === 'read')
    return {
      how: 'invalid',
      message: `stage ${stage.name}: allow_commit has no effect with read access: add \`access: write\``,
    };
  const onFail = stage.on_fail ?? row?.on_fail ?? role.onFail;
  return {
    how: 'read',
    role: {
      name: stage.role,
      access,
      template,
      ...contractOf(stage, row, role, template, onFail),
      reads: row?.reads ?? role.reads,
      changesTree: role.changesTree,
      onFail,
      runsAcceptance: role.runsAcceptance,
      handsOff: role.handsOff,
      answersWithDiff: typeof stage.diff === 'boolean' ? stage.diff : role.changesTree && access === 'read',
      trust,
      warnings: said !== null && row === null ? [unused(stage.role)] : [],
    },
  };
}

const isBuiltIn = (role: string): role is BuiltInRole => Object.hasOwn(ROLES, role);

function templateOf(
  stage: StageWords,
  row: ProjectRole | null,
  builtIn: BuiltInRole | null,
): ResolvedRole['template'] | null {
  if (stage.prompt !== undefined) return { from: 'task', file: stage.prompt };
  if (row?.template !== undefined) return { from: 'project', file: row.template };
  return builtIn === null ? null : { from: 'built_in', role: builtIn };
}

/**
 * What the answer must contain. The stage's own settings always win. Otherwise the origin of the template decides. For a task's
 * own template, the role requires nothing. For a project's template, only the project's settings require something. An answer
 * that must be JSON has no sections, and gives the verdict of its role in a property.
 */
function contractOf(
  stage: StageWords,
  row: ProjectRole | null,
  role: Role,
  { from }: ResolvedRole['template'],
  onFail: OnFail,
) {
  const free = from === 'task' || stage.schema !== undefined;
  const builtIn = from === 'built_in' ? role : NO_ROLE;
  const requires = stage.requires ?? (free ? [] : (row?.requires ?? builtIn.requires));
  const judges = hasVerdict(stage.requires ?? row?.requires ?? role.requires) || onFail === 'stop';
  return {
    requires,
    minLines: stage.min_lines ?? (free ? 0 : (row?.min_lines ?? builtIn.minLines)),
    givesVerdict: stage.schema === undefined ? hasVerdict(requires) : judges,
  };
}

const hasVerdict = (sections: readonly string[]): boolean => sections.some((name) => keyOf(name) === keyOf('Verdict'));

function noTemplate({ name, role }: StageWords, project: ProjectFile, trust: 'trusted' | 'untrusted'): string {
  const wayOut = 'give the stage a prompt of its own (a file in the task folder)';
  if (Object.hasOwn(project.roles, role))
    return trust === 'trusted'
      ? `stage ${name}: the role "${role}" of tollgate.yaml has no template; give it one, or ${wayOut}`
      : `stage ${name}: the role "${role}" is one of tollgate.yaml, which counts only in a trusted workspace; use --trust-workspace, or ${wayOut}`;
  const own = trust === 'trusted' ? Object.keys(project.roles) : [];
  const known = [...Object.keys(ROLES), ...own.filter((name) => !isBuiltIn(name))];
  const near = nearest(role, known);
  return `stage ${name}: there is no role "${role}"${near === null ? '.' : `; did you mean "${near}"?`} The built-in ones are ${Object.keys(ROLES).join(', ')}; for another one add it to tollgate.yaml with a template, or ${wayOut}`;
}

const unused = (role: string) =>
  `what tollgate.yaml says of the role ${role} is not used, since the workspace is not trusted (--trust-workspace)`;
