// A call's draft on disk: with it, whoever comes after a crash can judge and publish what the call left.

import path from 'node:path';
import { isBuiltIn, isTool, type Tool } from '../../policies/facts/tools.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { OwnToolRow } from '../../policies/own-tool/description.ts';
import { isOwnRow } from '../../policies/own-tool/is-own-row.ts';
import type { LeftOut } from '../../policies/prompt/left-out.ts';
import { patternMistake } from '../../policies/redact/patterns.ts';
import type { MachineClocks } from '../../policies/time/machine-clocks.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { CallRequest, Overlay } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { readClocks } from '../../wrappers/steady-clock.ts';
import { redactorOf } from '../redactor.ts';
import { type Attempt, attemptIn } from './attempt.ts';
import { promptIn } from './captured.ts';
import type { Draft } from './draft.ts';
import type { WrapperRequest } from './request.ts';
import { secretNames, withheldFrom } from './unknown-secrets.ts';

/** Everything but the environment, which holds keys. Its files are named from the root: who reads it may run elsewhere. */
export interface Saved {
  call_id: string;
  tool: Tool;
  stage: string;
  marker: string;
  started_at: string;
  binary: string;
  /** Absent in a draft of a version that did not know it before the call. */
  cli_version?: string | null;
  argv: string[];
  call: Omit<CallRequest, 'environment'>;
  files: WrapperRequest['files'];
  limits: WrapperRequest['limits'];
  redaction_patterns: string[];
  /** Absent in a draft of a version that had none. */
  own_rows?: readonly OwnRow[];
  /** Its CLI, where the project describes it. */
  own_tool?: OwnToolRow;
  /** The variables whose values were secret to it; absent in a draft of a version that did not tell. */
  secret_names?: string[];
  temporary: string;
  overlay_folders: string[];
  warnings: string[];
  /** Absent in a draft of a version that did not say. */
  left_out?: readonly LeftOut[];
  /** Whether its raw files stay; absent where they go. */
  keep_raw?: true;
  /** Of the machine, when the call was prepared; absent in a draft of a version that did not tell. */
  clocks?: MachineClocks;
}

export interface RestoredDraft {
  draft: Draft;
  attempt: Attempt;
  overlay: Overlay;
  /** Of the machine that prepared the call. */
  clocks: MachineClocks | null;
}

export const draftFile = (folder: string) => path.join(folder, 'attempt.json');

/** @returns what was written. */
export function saveDraft(attempt: Attempt, draft: Draft, overlay: Overlay): string {
  const text = `${JSON.stringify(savedOf(attempt, draft, overlay), null, 2)}\n`;
  replaceText(draftFile(attempt.folder), text);
  return text;
}

/** What stands of it in the journal, where its agent's word for it is not taken. */
export function termsOf(attempt: Attempt, draft: Draft, overlay: Overlay): CallTerms {
  const { marker, started_at, limits, temporary, overlay_folders } = savedOf(attempt, draft, overlay);
  return { marker, started_at, clocks: readClocks(), limits, temporary, overlay_folders };
}

/** What `attempt.json` holds of a draft; the environment, which has secrets, is left out. */
export function savedOf(attempt: Attempt, draft: Draft, overlay: Overlay): Saved {
  const { request } = draft;
  const { environment, ...call } = request.call;
  return {
    call_id: draft.callId,
    tool: request.adapter.tool,
    stage: request.charge?.stage ?? '',
    marker: markerOf(draft.callId, environment),
    started_at: draft.startedAt.toISOString(),
    binary: draft.binary ?? '',
    cli_version: draft.cliVersion,
    argv: draft.argv,
    call,
    files: fromRoot(request.files),
    limits: request.limits,
    redaction_patterns: request.redactionPatterns,
    own_rows: request.ownRows,
    ...(request.adapter.described === undefined ? {} : { own_tool: request.adapter.described.row }),
    secret_names: secretNames(environment),
    temporary: attempt.temporary,
    overlay_folders: overlay.folders,
    warnings: draft.warnings,
    left_out: request.composed.leftOut,
    ...(request.keepRaw ? { keep_raw: true as const } : {}),
    clocks: readClocks(),
  };
}

const fromRoot = (files: WrapperRequest['files']): WrapperRequest['files'] =>
  Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, file && path.resolve(file)]),
  ) as WrapperRequest['files'];

/** Half a draft, or one that somebody planted, is none. */
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
    (row: Partial<LeftOut> | null) =>
      typeof row?.what === 'string' && Number.isFinite(row.kept) && Number.isFinite(row.chars),
  );

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** @param task null for a call on its own. */
export function restoreSaved(
  saved: Saved,
  folder: string,
  task: TaskFolder | null,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): RestoredDraft | null {
  const attempt = attemptIn(folder, saved.temporary);
  const adapter = saved.own_tool === undefined ? adapterOf(saved.tool) : ownAdapter(saved.own_tool);
  const draft: Draft = {
    request: {
      callId: saved.call_id,
      adapter,
      call: { ...saved.call, environment },
      files: saved.files,
      limits: withStart(saved.limits),
      charge: task && { task, stage: saved.stage, runId: null, forPrompt: null },
      redactionPatterns: saved.redaction_patterns,
      ownRows: saved.own_rows ?? [],
      // The warnings are among those of the draft.
      composed: { warnings: [], leftOut: saved.left_out ?? [] },
      keepRaw: saved.keep_raw === true,
      // Its relay went with its wrapper.
      recordRequests: false,
    },
    callId: saved.call_id,
    startedAt: new Date(saved.started_at),
    redactor: redactorOf(environment, saved.redaction_patterns),
    prompt: promptIn(attempt),
    promptHash: null,
    binary: saved.binary,
    cliVersion: saved.cli_version ?? versionOfPackage(saved.binary, adapter.packageName),
    argv: saved.argv,
    warnings: saved.warnings,
    announced: null,
    recorder: null,
    // Counted by its wrapper alone; it may have been long ago.
    countedBefore: null,
    folders: [],
    withheld: withheldFrom(saved.secret_names ?? [], environment, folder),
    clock,
  };
  return {
    draft,
    attempt,
    overlay: { argv: [], environment: {}, folders: saved.overlay_folders, warnings: [] },
    clocks: saved.clocks ?? null,
  };
}

/** A draft of a version that knew no start limit. */
export const withStart = (limits: Saved['limits']): Saved['limits'] => ({
  ...limits,
  startTimeoutMs: limits.startTimeoutMs ?? null,
});
