// The files by which a stage is judged: an agent that rewrites them is found out, and they are put back.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../../policies/gate.ts';
import { PROJECT_FILES } from '../../../state/project.ts';
import { refreshStats } from '../../../state/stats.ts';
import { outputsOf } from '../../../state/task-folder.ts';
import { forbidsOf } from '../../prompt/compose.ts';
import { templateFiles } from '../../prompt/template-files.ts';
import type { OpenTask } from '../task.ts';
import { filesBelow, type KeptFiles, keepFiles, putBack, type Tampered } from './kept-files.ts';
import { type KeptJournal, keepJournal, mendJournal } from './kept-journal.ts';

export interface Judge {
  files: KeptFiles;
  journal: KeptJournal;
}

export interface Checked {
  finding: Finding | null;
  notes: string[];
}

/** Taken right before a call. */
export async function keepJudge(open: OpenTask): Promise<Judge> {
  const files = [...judgeFiles(open), ...(await templatesOf(open)), ...earlierAnswers(open)];
  return { files: keepFiles([...new Set(files)]), journal: keepJournal(open.journal) };
}

/**
 * Looked at right after the call, before anything is judged by them.
 * @param aside where what stood in their place is kept.
 */
export async function checkJudge(
  open: OpenTask,
  judge: Judge,
  callId: string,
  call: Parameters<typeof mendJournal>[3],
  aside: string,
  clock: () => Date,
): Promise<Checked> {
  const mended = await mendJournal(open.journal, judge.journal, callId, call, clock());
  if (mended.strange.length + mended.budgetChanges > 0 || call === null) {
    // It is a view, and an edited one would be taken for a person's wish.
    rmSync(path.join(open.task.state, 'stats.json'), { force: true });
    await refreshStats(open.journal, clock);
  }
  const tampered = putBack(judge.files, judgeFiles(open), aside);
  const notes =
    mended.budgetChanges === 0
      ? []
      : ['the budget was changed while a call ran, and that was taken back: change it again, between calls'];
  if (tampered.length === 0 && mended.strange.length === 0) return { finding: null, notes };
  const missing = [
    ...mended.strange.map((what) => `state/journal.jsonl (${what}; mended)`),
    ...tampered.map((each) => describe(open, each)),
  ];
  const finding: Finding = {
    check: 'judge',
    class: 'scope_violation',
    reason: 'judge_changed',
    missing,
    text: `files that this stage is judged by were changed while it ran: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`,
    next_actions: existsSync(aside) ? [`look at what was written there: ${aside}`] : [],
  };
  return { finding, notes };
}

const OUTCOME = { put_back: 'put back', kept: 'too large to be put back' } as const;

const describe = ({ root }: OpenTask, { file, how, outcome }: Tampered) =>
  `${path.relative(root, file)} (${how}; ${OUTCOME[outcome]})`;

function judgeFiles(open: OpenTask): string[] {
  const { task, root } = open;
  return [
    ...new Set([
      ...PROJECT_FILES.map((name) => path.join(root, name)),
      ...filesBelow(task.root, (file) => isWrittenInCalls(task, file)),
    ]),
  ];
}

/** What is used of the project's: in an untrusted workspace nothing is, and so nothing that a stranger names is looked at. */
async function templatesOf({ root, cwd, task, project, manifest, plans }: OpenTask): Promise<string[]> {
  const trust = plans.some(({ role }) => role.trust === 'trusted') ? 'trusted' : 'untrusted';
  const forbids = await forbidsOf(manifest.security.forbidden_paths, [root, cwd]);
  return templateFiles({ root, task: task.root, project, trust, forbids });
}

/** Of calls that are over: what limits count, and what later stages are told. */
function earlierAnswers({ task, journal }: OpenTask): string[] {
  const { calls, done } = journal.read().ledger;
  const over = [...calls.values()].filter(({ verdict }) => verdict !== null);
  const answers = [...done.values()].flatMap(({ stage, call_id }) => {
    const tool = calls.get(call_id ?? '')?.reserved.tool;
    return tool === undefined ? [] : [outputsOf(task, { name: stage, tool }).out];
  });
  return [...over.map(({ reserved }) => path.join(task.attempts, reserved.call_id, 'record.json')), ...answers];
}

/** What editors put beside a file that a person looks at. */
const LITTER = /^\..*\.sw[a-z]$|~$|^\.#|^4913$/;

/** Answers, the private folders of calls, copies of the tree (which are looked at before they are used), and what guardians write. */
function isWrittenInCalls({ outputs, attempts, state }: OpenTask['task'], file: string): boolean {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  if (file === outputs || file === attempts || LITTER.test(name)) return true;
  if (folder === path.join(state, 'baseline') && name.endsWith('.copies')) return true;
  return (
    folder === state &&
    /^(?:stats\.json\.unreadable-.*|journal\.jsonl|(?:stats|last_failure)\.json)(?:\.\d+)?$/.test(name)
  );
}
