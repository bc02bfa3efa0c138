// Restores a call whose wrapper is gone, from `attempt.json` or the user's register.

import path from 'node:path';
import type { MachineClocks } from '../../policies/facts/deadline.ts';
import { isBuiltIn, isTool } from '../../policies/facts/tools.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import { patternMistake } from '../../policies/redact/patterns.ts';
import { isOwnRow } from '../../policies/rules/described-cli.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { type Attempt, attemptIn } from './attempt.ts';
import { promptIn } from './captured.ts';
import { redactorFor } from './close-attempt.ts';
import { NOT_REACHED, type RecordableCall } from './phases.ts';
import type { WrapperRequest } from './request.ts';
import type { Saved } from './saved-draft.ts';
import { withheldFrom } from './unknown-secrets.ts';

export interface RestoredCall {
  readonly call: RecordableCall;
  readonly attempt: Attempt;
  readonly overlay: Overlay;
  /** The clocks of the machine that prepared the call. */
  readonly clocks: MachineClocks | null;
}

/** Rejects an incomplete draft, or one that was planted. */
export function isSaved(value: unknown): value is Saved {
  const saved = (value ?? {}) as Partial<Saved>;
  const { call_id, stage, marker, temporary, tool, files, own_rows = [] } = saved;
  return (
    [call_id, stage, marker, temporary].every((text) => typeof text === 'string') &&
    isTool(tool as string) &&
    [saved.argv, saved.redaction_patterns, saved.overlay_folders, saved.warnings].every(isTexts) &&
    (saved.redaction_patterns ?? []).every((pattern) => patternMistake(pattern) === null) &&
    [saved.call, saved.limits, files].every((part) => typeof part === 'object' && part !== null) &&
    !Number.isNaN(Date.parse(String(saved.started_at))) &&
    ['out', 'err'].every((name) => typeof files?.[name as 'out'] === 'string') &&
    Object.values(files ?? {}).every((file) => file === null || (typeof file === 'string' && path.isAbsolute(file))) &&
    Array.isArray(own_rows) &&
    (saved.own_tool === undefined ? isBuiltIn(tool) : isOwnRow(saved.own_tool, tool)) &&
    isLeftOut(saved.left_out ?? []) &&
    isTexts(saved.secret_names ?? []) &&
    [saved.binary, saved.cli_version ?? ''].every((text) => typeof text === 'string')
  );
}

const isLeftOut = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (row: Partial<Omission> | null) =>
      typeof row?.what === 'string' && Number.isFinite(row.kept) && Number.isFinite(row.chars),
  );

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** @param task null for a call without a task. */
export function restoreSaved(
  saved: Saved,
  folder: string,
  task: TaskFolder | null,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): RestoredCall | null {
  const attempt = attemptIn(folder, saved.temporary);
  const adapter = saved.own_tool === undefined ? adapterOf(saved.tool) : ownAdapter(saved.own_tool);
  const request: WrapperRequest = {
    callId: saved.call_id,
    adapter,
    call: { ...saved.call, environment },
    files: saved.files,
    limits: withStart(saved.limits),
    charge: task && { task, stage: saved.stage, runId: null, forPrompt: null },
    redactionPatterns: saved.redaction_patterns,
    ownRows: saved.own_rows ?? [],
    // The saved warnings already include them.
    composed: { warnings: [], leftOut: saved.left_out ?? [] },
    keepRaw: saved.keep_raw === true,
    // The relay ended with its wrapper.
    recordRequests: false,
  };
  const call: RecordableCall = {
    ...NOT_REACHED,
    request,
    callId: saved.call_id,
    announced: null,
    startedAt: new Date(saved.started_at),
    begunMs: nowMs(),
    prompt: promptIn(attempt),
    cliVersion: saved.cli_version ?? versionOfPackage(saved.binary, adapter.packageName),
    argv: saved.argv,
    warnings: saved.warnings,
    withheld: withheldFrom(saved.secret_names ?? [], environment, folder),
    redactor: redactorFor(request),
    clock,
  };
  return {
    call,
    attempt,
    overlay: { argv: [], environment: {}, folders: saved.overlay_folders, warnings: [] },
    clocks: saved.clocks ?? null,
  };
}

/** Adds the start limit to a draft of a version that had none. */
export const withStart = (limits: Saved['limits']): Saved['limits'] => ({
  ...limits,
  startTimeoutMs: limits.startTimeoutMs ?? null,
});
