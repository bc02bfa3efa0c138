// Reads the comparisons of a project, and one with the answers and changes of its variants.

import { collectComparison } from '../../../loops/compare/compared.ts';
import { comparisonIds, findComparison } from '../../../loops/compare/comparison.ts';
import { projectState } from '../../../state/task-folder.ts';
import type { ComparisonShown, ComparisonsShown } from '../../contract/overviews.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';

const MOST_LISTED = 200;

export function comparisonsShown({ cwd, environment }: ServedProject): Reply {
  const state = projectState(cwd, environment);
  const comparisons = comparisonIds(state)
    .slice(0, MOST_LISTED)
    .flatMap((id): ComparisonsShown['comparisons'] => {
      const found = findComparison(state, id);
      if (typeof found === 'string') return [];
      const { at, variants, picked, removed } = found;
      const names = variants.map(({ name }) => name);
      const chosen = picked === null ? null : (names[picked.n - 1] ?? null);
      return [{ comparison_id: id, at, names, picked: chosen, removed: removed !== null }];
    });
  return answerWith<ComparisonsShown>({ comparisons });
}

/** The page shows no longer diff. */
const MOST_OF_DIFF = 512 * 1024;

export async function comparisonShown(id: string, project: ServedProject, gone: AbortSignal): Promise<Reply> {
  const { cwd, environment, clock } = project;
  const found = findComparison(projectState(cwd, environment), id);
  if (typeof found === 'string') return refused(404, found);
  const { report, diffs } = await collectComparison(found, { cwd, environment, clock, stop: gone });
  const shown = [...diffs].map(([n, text]) => [n, text.slice(0, MOST_OF_DIFF)] as const);
  return answerWith<ComparisonShown>({ report, diffs: Object.fromEntries(shown) });
}
