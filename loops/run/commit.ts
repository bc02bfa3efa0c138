// Commits what a passed task changed, if --commit was given, and builds the failure of a run that cannot.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { goOnLine, toDo, toType } from '../../policies/facts/next-action.ts';
import { outsideScope } from '../../policies/gate/scope.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { firstNames, visible } from '../../policies/text/display.ts';
import { EMPTY_FAILURE, stopped } from '../task/failure.ts';
import { readGateRecord } from '../task/gate-actions.ts';
import { treeRules } from '../task/keep-start.ts';
import type { RunRequest } from '../task/run-context.ts';
import type { OpenTask } from '../task/task.ts';
import { type CommitPlace, commitChanges, commitMistake, MOST_LISTED } from '../tree/commit-changes.ts';
import { treesOf } from '../tree/stage-trees.ts';
import { scopeOf } from '../tree/task-tree.ts';
import { lockTaskTree } from './with-tree-lock.ts';
import type { EndedRun } from './write-report.ts';

/** @returns before anything is paid why the run could not commit; null if it can, or if it need not. */
export const commitImpossible = async (open: OpenTask, request: RunRequest): Promise<string | null> =>
  request.options.commit === 'none' ? null : commitMistake(placeOf(open, request));

function placeOf({ tree, manifest, project }: OpenTask, { options, context }: RunRequest): CommitPlace {
  const isTrusted = options.trustWorkspace || manifest.security.trust_workspace;
  return {
    tree,
    environment: context.environment,
    trust: isTrusted ? 'trusted' : 'untrusted',
    author: project.commit.author,
    halt: context.stop,
  };
}

/** @returns the run with its commit, or with a failure if no commit could be made. A run that did not pass stays as it is. */
export async function commitRun(open: OpenTask, request: RunRequest, ended: EndedRun): Promise<EndedRun> {
  const { options, context } = request;
  if (options.commit === 'none' || ended.state !== 'done' || ended.exitCode !== TOLLGATE_EXIT.ok) return ended;
  const turn = await lockTaskTree(request, open, { mode: 'write', stage: 'commit' });
  if (turn.how === 'stopped')
    return { ...ended, ...failed(open, 'the run was stopped before its commit', context.clock()) };
  try {
    const outside = outsideScope(scopeOf(open.manifest));
    const writing = open.plans.filter(({ access }) => access !== 'read');
    const made = await commitChanges({
      ...placeOf(open, request),
      rules: await treeRules(open, context, open.tree),
      stages: writing.map(({ stage: { name } }) => ({
        stage: name,
        trees: treesOf(open.task.state, name),
        changed: readGateRecord(open.task, name)?.changes?.map(({ path }) => path) ?? null,
      })),
      inScope: (name) => !outside(name),
      edits: options.finished === 'rechecked' ? 'checked' : 'unchecked',
      message: messageOf(open),
    });
    if (made.how === 'invalid') return { ...ended, ...failed(open, made.message, context.clock()) };
    const notes = made.omitted.length === 0 ? [] : [`not in the commit: ${firstNames(made.omitted, MOST_LISTED)}`];
    if (made.how === 'nothing')
      return { ...ended, notes: [...ended.notes, 'there is nothing to commit', ...notes], commit: null };
    const { id, branch, files } = made;
    return { ...ended, notes: [...ended.notes, ...notes], commit: { id, branch, files } };
  } finally {
    turn.release();
  }
}

function failed(open: OpenTask, text: string, at: Date): { state: 'failed'; exitCode: number; failure: Failure } {
  const { task, called } = open;
  const said = { text, rule: 'commit-impossible' };
  return {
    state: 'failed',
    exitCode: TOLLGATE_EXIT.failure,
    failure: {
      ...EMPTY_FAILURE,
      task_id: task.id,
      at: at.toISOString(),
      ...stopped('tooling', 'not_committed', said, 'every stage is done, but --commit could not make its commit'),
      next_actions: [
        toDo('fix what the evidence names, or commit the changes with git'),
        toType('then make the commit', goOnLine(called, '--commit')),
      ],
    },
  };
}

const MAX_SUBJECT = 72;

/** The goal, then the trailers. */
function messageOf({ task, manifest, project, hide }: OpenTask): string {
  const goal = visible(hide(manifest.goal)).trim();
  const [first = ''] = goal.split('\n', 1);
  const subject = first.length <= MAX_SUBJECT ? first : `${first.slice(0, MAX_SUBJECT - 3).replace(/\s+\S*$/, '')}...`;
  const trailers = [`Tollgate-Task: ${task.id}`, ...project.commit.trailers];
  return [subject || task.id, ...(goal === subject ? [] : [goal]), trailers.join('\n')].join('\n\n');
}
