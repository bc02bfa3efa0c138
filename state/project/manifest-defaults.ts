// What a manifest says by not saying it.

export const STAGE_DEFAULTS = {
  timeout_ms: 30 * 60_000,
  may_be_empty: false,
};

export const SUPERVISE_DEFAULTS = { max_iterations: 20, stall_after: 3 };

/** Made anew for each manifest, since its reader may change it. */
export const manifestDefaults = () =>
  ({
    meta: {},
    worktree: false,
    scope: { allow: [] as string[], deny: [] as string[], ignored: false },
    acceptance: { commands: [] as string[], criteria: [] as string[], timeout_ms: 10 * 60_000 },
    budgets: { paid_call_budget: 10, retry_budget: 2, nested_calls: 0 },
    context: { digest_policy: 'auto' },
    security: { redaction_patterns: [] as string[], forbidden_paths: [] as string[], trust_workspace: false },
  }) as const;
