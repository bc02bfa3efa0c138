// A call's draft on disk: with it, whoever comes after a crash can judge and publish what the call left.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { OwnToolRow } from '../../policies/own-tool/description.ts';
import type { LeftOut } from '../../policies/prompt/left-out.ts';
import type { MachineClocks } from '../../policies/time/machine-clocks.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { CallRequest, Overlay } from '../../wrappers/adapter.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { readClocks } from '../../wrappers/steady-clock.ts';
import type { Attempt } from './attempt.ts';
import type { Draft } from './draft.ts';
import type { WrapperRequest } from './request.ts';
import { secretNames } from './unknown-secrets.ts';

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
  const folder = path.resolve(attempt.folder);
  return { marker, started_at, clocks: readClocks(), limits, temporary, overlay_folders, folder };
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
