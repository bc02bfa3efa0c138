// Which fields of a manifest are read but not acted on by this version: said in the report, never passed over in silence.

import type { Manifest } from '../../state/manifest-schema.ts';

export function notYet({ stages, scope, acceptance, budgets, context, security }: Manifest): string[] {
  const used: [field: string, isUsed: boolean][] = [
    ['stages[].attach', stages.some(({ attach }) => attach !== undefined)],
    ['stages[].requires (named in the prompt, but not checked)', stages.some(({ requires }) => requires !== undefined)],
    ['stages[].schema', stages.some(({ schema }) => schema !== undefined)],
    ['stages[].fallback', stages.some(({ fallback }) => fallback.length > 0)],
    [
      'stages[].effort (of a tool that is not codex)',
      stages.some(({ tool, effort }) => tool !== 'codex' && effort !== undefined),
    ],
    ['scope (named in the prompt, but not checked)', scope.allow.length + scope.deny.length > 0],
    ['acceptance.commands', acceptance.commands.length > 0],
    ['budgets.max_tokens, budgets.max_usd', budgets.max_tokens !== undefined || budgets.max_usd !== undefined],
    ['context.digest_policy', context.digest_policy !== 'auto'],
    ['security.forbidden_paths', security.forbidden_paths.length > 0],
  ];
  const fields = used.filter(([, isUsed]) => isUsed).map(([field]) => field);
  return fields.length === 0 ? [] : [`this version does not act on: ${fields.join('; ')}`];
}
