// Compares CLIs, models or accounts for a program, with options instead of flags, and applies the changes of one.

import path from 'node:path';
import { compare, resumeComparison } from '../loops/compare/compare.ts';
import { type Comparison, findComparison } from '../loops/compare/comparison.ts';
import { pickVariant, removeComparison } from '../loops/compare/pick.ts';
import { refusalInCall } from '../loops/report/calling-call.ts';
import { projectState } from '../state/task-folder.ts';
import type { ComparedEnd, CompareOptions, ComparisonOptions, PickedEnd } from './call-surface.ts';
import { inRun } from './run-task.ts';

export const compareNamed = (text: string, given: CompareOptions): Promise<ComparedEnd> => {
  const { variants, what = 'prompt', access = 'read', acceptance = [], stages = [], dirtyTree = 'refuse' } = given;
  const { maxCalls = null, maxTokens = null, maxUsd = null, concurrency = null } = given;
  return inRun('.', whereOf(given), async ({ options, context }) =>
    ended(
      await compare({
        ...{ options, context, with: variants, dirtyTree, concurrency, tell: () => {} },
        compared: what === 'task' ? { what, word: text, stages } : { what, text, access, acceptance },
        budget: { calls: maxCalls, tokens: maxTokens, usd: maxUsd },
      }),
    ),
  );
};

export const resumeNamedComparison = (id: string, where: ComparisonOptions): Promise<ComparedEnd> =>
  onComparison(id, where, async (comparison) =>
    inRun('.', whereOf(where), async ({ options, context }) => {
      const concurrency = where.concurrency ?? null;
      return ended(await resumeComparison(comparison, { options, context, concurrency, tell: () => {} }));
    }),
  );

export const pickNamed = (variant: string, where: ComparisonOptions & { of?: string }): Promise<PickedEnd> =>
  onOwnComparison(where.of ?? 'last', where, async (comparison) =>
    inRun('.', whereOf(where), async ({ options, context }): Promise<PickedEnd> => {
      const trust = options.trustWorkspace ? 'trusted' : 'untrusted';
      return pickVariant(comparison, variant, { context, trust });
    }),
  );

export const removeNamedComparison = (id: string, where: ComparisonOptions): Promise<{ how: 'removed' } | Invalid> =>
  onOwnComparison(id, where, async (comparison) =>
    inRun('.', whereOf(where), async ({ context }): Promise<{ how: 'removed' } | Invalid> => {
      const message = await removeComparison(comparison, context);
      return message === null ? { how: 'removed' } : { how: 'invalid', message };
    }),
  );

type Invalid = { how: 'invalid'; message: string };

const whereOf = ({ cwd, environment, signal, say, trustWorkspace }: ComparisonOptions): ComparisonOptions => ({
  ...(cwd === undefined ? {} : { cwd }),
  ...(environment === undefined ? {} : { environment }),
  ...(signal === undefined ? {} : { signal }),
  ...(say === undefined ? {} : { say }),
  ...(trustWorkspace === undefined ? {} : { trustWorkspace }),
});

const ended = (ran: Awaited<ReturnType<typeof compare>>): ComparedEnd =>
  ran.how === 'invalid' ? ran : { how: 'ran', report: ran.report, diffs: Object.fromEntries(ran.diffs) };

/** What only the user may decide. */
async function onOwnComparison<End>(...given: Parameters<typeof onComparison<End>>): Promise<End | Invalid> {
  const within = await refusalInCall('apply or remove a comparison', async () => false);
  return within === null ? onComparison(...given) : { how: 'invalid', message: within };
}

async function onComparison<End>(
  id: string,
  { cwd = process.cwd(), environment = process.env }: ComparisonOptions,
  use: (comparison: Comparison) => Promise<End>,
): Promise<End | Invalid> {
  const found = findComparison(projectState(path.resolve(cwd), environment), id);
  return typeof found === 'string' ? { how: 'invalid', message: found } : use(found);
}
