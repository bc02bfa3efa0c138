// What a gate is asked to look at.

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
  /** That answered: the stage's own, or one that it fell back to. */
  tool: Tool;
  /** With what the project and the stage say of it. */
  role: ResolvedRole;
  /** Where the CLI ran. */
  cwd: string;
  answerFile: string;
  callId: string;
  /** null where the tree was not looked at. */
  changes: Change[] | null;
  /** What was found before: of the tree, and of whoever wrote to the judge's files. */
  findings: readonly Finding[];
  /** `again`: what passed once, without what is about the tree as the call left it. */
  look: 'first' | 'again';
  /** To be run where the role asks for it. */
  acceptanceCommands: readonly string[];
  environment: NodeJS.ProcessEnv;
  redactor: Redactor;
  /** Once it is aborted no command is started, and what runs is ended; the record then says that it did not pass. */
  stop: AbortSignal;
  clock: () => Date;
}
