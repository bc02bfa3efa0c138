// Defines what a gate is requested to check.

import type { Change, Finding } from '../../policies/facts/gate-record.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { Manifest, Stage } from '../../state/project/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

export interface GateRequest {
  task: TaskFolder;
  manifest: Pick<Manifest, 'acceptance' | 'security'>;
  stage: Stage;
  /** The tool that answered: the stage's own, or one that it fell back to. */
  tool: Tool;
  /** With the settings of the project and the stage for it. */
  role: ResolvedRole;
  /** The folder in which the CLI ran. */
  cwd: string;
  answerFile: string;
  callId: string;
  /** null if the tree was not examined. */
  changes: Change[] | null;
  /** Earlier findings, about the tree and about processes that wrote to the judge's files. */
  findings: readonly Finding[];
  /** `again`: a new check of an answer that passed before, without the checks of the tree as the call left it. */
  look: 'first' | 'again';
  /** Run only if the role requires it. */
  acceptanceCommands: readonly string[];
  environment: NodeJS.ProcessEnv;
  redactor: Redactor;
  /** Once it is aborted, the gate starts no command and ends the running one. The record then counts as not passed. */
  stop: AbortSignal;
  clock: () => Date;
}
