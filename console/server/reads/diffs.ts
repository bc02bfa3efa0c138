// Reads what each writing stage of a task changed in the tree, and what the whole task changed, as unified diffs.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { redactorOf } from '../../../loops/redactor.ts';
import { forbidsOf, stateOf } from '../../../loops/task/compose.ts';
import { readGateRecord } from '../../../loops/task/gate-actions.ts';
import { type ReadTask, readTask, treeOf } from '../../../loops/task/task.ts';
import { readChanges, startOf } from '../../../loops/tree/read-changes.ts';
import {
  diffOfTrees,
  type KeepRules,
  objectFolders,
  readTrees,
  type StageTrees,
  treesOf,
  whyNotKept,
} from '../../../loops/tree/stage-trees.ts';
import { scopeOf } from '../../../loops/tree/task-tree.ts';
import type { GateRecord } from '../../../policies/facts/gate-record.ts';
import { judgeScope } from '../../../policies/gate/scope.ts';
import type { Redactor } from '../../../policies/redact/redactor.ts';
import { firstNames, shellWord } from '../../../policies/text/display.ts';
import { JournalError, openJournal } from '../../../state/journal/journal.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { type DiffShown, type DiffsShown, WHOLE_TASK } from '../../contract/task.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { foundTask } from './task.ts';
import { headOfText } from './texts.ts';

/** Lists what can be shown: the stages that may write, in the order of their first call, and the whole task. */
export async function diffsShown(id: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  try {
    const { calls } = openJournal(task.root, project.clock).read().ledger;
    const names = new Set([...calls.values()].filter(({ granted }) => granted).map(({ reserved }) => reserved.stage));
    const stages = [...names].flatMap((stage) => {
      const changes = readGateRecord(task, stage)?.changes ?? null;
      const kept = readTrees(treesOf(task.state, stage)) !== null;
      return kept || (changes !== null && changes.length > 0)
        ? [{ stage, changed: changes?.length ?? null, kept }]
        : [];
    });
    const whole = startOf(task.state) !== null;
    const why_none = stages.length > 0 || whole ? null : await whyNone(id, project);
    return answerWith<DiffsShown>({ stages, whole, why_none });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return refused(409, error.message);
  }
}

async function whyNone(id: string, { cwd, environment }: ServedProject): Promise<string> {
  const read = await readTask({ word: id, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return 'No stage that may change files was called yet.';
  if (read.plans.length > 0 && read.plans.every(({ access }) => access === 'read'))
    return 'The stages of this task only read files, so there is nothing to show.';
  if (!existsSync(path.join(treeOf(read), '.git')))
    return 'This folder is not a git repository, so changes are not stored.';
  return 'No stage that may change files was called yet.';
}

/** @param stage the name of a stage, or WHOLE_TASK */
export async function diffShown(id: string, stage: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  if (stage.includes('/')) return refused(404, `"${stage}" is no name of a stage`);
  const { cwd, environment } = project;
  const read = await readTask({ word: id, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return refused(409, read.message);
  const tree = treeOf(read);
  if (!existsSync(path.join(tree, '.git')))
    return answerWith(nothing('The tree is in no repository of git, so no diff can be made.'));
  const forbids = await forbidsOf(read.manifest.security.forbidden_paths, [read.root, tree]);
  const rules = { cwd: tree, root: read.root, state: stateOf(task), forbids, environment };
  const redactor = redactorOf(environment, read.manifest.security.redaction_patterns);
  return stage === WHOLE_TASK ? wholeDiff(task, rules, redactor) : stageDiff(task, stage, read, rules, redactor);
}

const nothing = (note: string): DiffShown => ({
  ...{ text: '', earlier: '', changes: [], outside: [] },
  notes: [note],
  command: null,
});

/** Of one diff. */
const MAX_CHARS = 2 * 1024 * 1024;
/** git gets a higher limit, so that a secret at the end of the shown part is recognized. */
const MAX_READ = MAX_CHARS + 256 * 1024;
/** The page folds unchanged lines, and shows them on request. */
const CONTEXT = 20;

async function wholeDiff(task: TaskFolder, rules: KeepRules, redactor: Redactor): Promise<Reply> {
  if (startOf(task.state) === null)
    return answerWith(
      nothing(
        'The tree as it was before this task is not stored. A stage with `diff: {since: start}` stores it, and so does a supervision.',
      ),
    );
  const from = { since: 'start', context: CONTEXT, most: MAX_READ } as const;
  const read = await readChanges({ ...rules, task: task.state }, from);
  if (read.how === 'invalid') return refused(409, read.message);
  const { text, forbidden } = read.changes;
  return answerWith<DiffShown>({
    text: headOfText(text, MAX_CHARS, redactor),
    earlier: '',
    ...{ changes: [], outside: [], command: null },
    notes: [
      ...read.warnings,
      ...(forbidden > 0 ? [`${forbidden} forbidden paths are omitted.`] : []),
      ...(text.length > MAX_CHARS ? ['The diff is larger; only its beginning is shown.'] : []),
    ],
  });
}

async function stageDiff(
  task: TaskFolder,
  stage: string,
  { manifest }: ReadTask,
  rules: KeepRules,
  redactor: Redactor,
): Promise<Reply> {
  const gate = readGateRecord(task, stage);
  const said = { changes: gate?.changes ?? [], outside: outsideOf(gate, manifest) };
  const folder = treesOf(task.state, stage);
  const trees = readTrees(folder);
  const without = (notes: string[], command: string | null): Reply =>
    answerWith<DiffShown>({ ...said, text: '', earlier: '', notes, command: command && redactor.redact(command) });
  if (trees === null) {
    const why = whyNotKept(folder);
    return why === null
      ? without(['The tree before and after this stage is not stored.'], null)
      : without(
          [`The tree before this stage was not stored: ${why}.`, `All changes since the last commit: ${NEW_FILES}`],
          `git -C ${shellWord(rules.cwd)} diff HEAD`,
        );
  }
  const found = await diffOfTrees(folder, trees, { ...rules, side: 'stage', mostChars: MAX_READ });
  if (found.how === 'invalid')
    return found.isTooLarge
      ? without(
          [sentence(found.message), `The changes since before this stage: ${NEW_FILES}`],
          commandOf(folder, trees, rules.cwd),
        )
      : without([sentence(found.message)], null);
  const earlier = await diffOfTrees(folder, trees, { ...rules, side: 'earlier', mostChars: MAX_READ });
  const large = trees.unread.filter((name) => said.changes.some((change) => change.path === name));
  const isCut = found.cutOf !== null || found.text.length > MAX_CHARS;
  return answerWith<DiffShown>({
    ...said,
    text: headOfText(found.text, MAX_CHARS, redactor),
    earlier: earlier.how === 'read' ? headOfText(earlier.text, MAX_CHARS, redactor) : '',
    notes: [
      ...(trees.after === null ? [`${sinceWhen(trees)} The diff ends with the tree as it is now.`] : []),
      ...(isCut ? [cutNote(found.cutOf)] : []),
      ...(large.length > 0
        ? [`Changed, but not stored, since above 4 MB or unreadable: ${firstNames(large, 5)}.`]
        : []),
      ...(earlier.how === 'invalid' ? [`Earlier changes are not shown: ${earlier.message}.`] : []),
      ...(earlier.how === 'read' && earlier.cutOf !== null
        ? ['Of the earlier changes, only the beginning is shown.']
        : []),
    ],
    command: isCut ? redactor.redact(commandOf(folder, trees, rules.cwd)) : null,
  });
}

/** Why the diff does not end with the tree that the gate saw. */
const sinceWhen = ({ why }: StageTrees): string =>
  why === null ? 'The gate has not looked at this stage yet.' : `The tree after this stage was not stored: ${why}.`;

const NEW_FILES = 'the command shows them without new files, which git status lists.';

const cutNote = (files: number | null): string =>
  `The diff${files === null ? '' : ` of ${files} files`} is larger than ${MAX_CHARS / 1024 ** 2} MB; only its beginning is shown. The command shows all of it.`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** git finds the stored objects by the variable. Without a tree after the stage it compares with the files. */
const commandOf = (folder: string, { before, after }: StageTrees, tree: string): string =>
  `GIT_ALTERNATE_OBJECT_DIRECTORIES=${shellWord(
    objectFolders(folder)
      .map((each) => JSON.stringify(each))
      .join(':'),
  )} git -C ${shellWord(tree)} diff ${before}${after === null ? '' : ` ${after}`}`;

/** By the scope of the manifest, and only if the gate found something: the record names them with a limit. */
function outsideOf(gate: GateRecord | null, manifest: ReadTask['manifest']): string[] {
  if (!gate?.findings.some(({ check }) => check === 'scope')) return [];
  return [...new Set(judgeScope(gate.changes ?? [], scopeOf(manifest)).map((violation) => violation.path))];
}
