// Saves a call's draft on disk, so that after a crash another process can classify and publish the call's output.

import path from 'node:path';
import type { MachineClocks } from '../../policies/facts/deadline.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { accountPlaces } from '../../policies/limits/user-accounts.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import { secretsOf } from '../../policies/redact/environment.ts';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { CallRequest } from '../../wrappers/adapter.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { readClocks } from '../../wrappers/steady-clock.ts';
import { wholeLine } from './invocation.ts';
import type { EquippedCall } from './phases.ts';
import type { WrapperRequest } from './request.ts';

/** Everything except the environment, which holds keys. Its paths are absolute, since the reader may run in another folder. */
export interface Saved {
  call_id: string;
  tool: Tool;
  stage: string;
  marker: string;
  started_at: string;
  binary: string;
  /** Absent in a draft of a version that did not know it before the call. */
  cli_version?: string | null;
  argv: readonly string[];
  call: Omit<CallRequest, 'environment'>;
  /** Absent without a tag. */
  tag?: WrapperRequest['tag'];
  /** The variables that lead to the files of its account; empty for the login of the environment. */
  account?: Record<string, string>;
  files: WrapperRequest['files'];
  limits: WrapperRequest['limits'];
  redaction_patterns: string[];
  /** Absent in a draft of a version that had none. */
  own_rows?: readonly OwnRow[];
  /** Its CLI, if the project describes it. */
  own_tool?: OwnToolRow;
  /** The prefix with which it was called; absent without one. */
  prefix?: readonly string[];
  /** The variables whose values were secret to the call; absent in a draft of a version that did not record them. */
  secret_names?: string[];
  temporary: string;
  overlay_folders: string[];
  warnings: readonly string[];
  /** Absent in a draft of a version that did not record it. */
  left_out?: readonly Omission[];
  /** Whether its raw files stay; absent if they are removed. */
  keep_raw?: true;
  /** The machine's clocks when the call was prepared; absent in a draft of a version that did not record them. */
  clocks?: MachineClocks;
}

export const draftFile = (folder: string) => path.join(folder, 'attempt.json');

/** @returns the written text. */
export function saveDraft(call: EquippedCall): string {
  const text = `${JSON.stringify(savedOf(call), null, 2)}\n`;
  replaceText(draftFile(call.attempt.folder), text);
  return text;
}

/** The terms that the journal keeps, since the agent's copy of them is not trusted. */
export function termsOf(call: EquippedCall): CallTerms {
  const { marker, started_at, limits, temporary, overlay_folders } = savedOf(call);
  const folder = path.resolve(call.attempt.folder);
  return { marker, started_at, clocks: readClocks(), limits, temporary, overlay_folders, folder };
}

/** Makes the content of `attempt.json`; the environment, which has secrets, is omitted. */
export function savedOf({ request, attempt, overlay, ...made }: EquippedCall): Saved {
  const { environment, ...call } = request.call;
  return {
    call_id: made.callId,
    tool: request.adapter.tool,
    stage: request.charge?.stage ?? '',
    marker: markerOf(made.callId, environment),
    started_at: made.startedAt.toISOString(),
    binary: made.binary,
    cli_version: made.cliVersion,
    argv: wholeLine({ request, through: made.through }, made.argv),
    call,
    ...(request.tag === undefined ? {} : { tag: request.tag }),
    account: accountPlaces(request.adapter.tool, environment),
    files: fromRoot(request.files),
    limits: request.limits,
    redaction_patterns: request.redactionPatterns,
    own_rows: request.ownRows,
    ...(request.adapter.described === undefined ? {} : { own_tool: request.adapter.described.row }),
    ...(request.adapter.prefix === undefined ? {} : { prefix: request.adapter.prefix }),
    secret_names: secretNames(environment),
    temporary: attempt.temporary,
    overlay_folders: overlay.folders,
    warnings: made.warnings,
    left_out: request.composed.leftOut,
    ...(request.keepRaw ? { keep_raw: true as const } : {}),
    clocks: readClocks(),
  };
}

const fromRoot = (files: WrapperRequest['files']): WrapperRequest['files'] =>
  Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, file && path.resolve(file)]),
  ) as WrapperRequest['files'];

/** The variables whose values are secret. */
const secretNames = (environment: NodeJS.ProcessEnv): string[] => [
  ...new Set(secretsOf(environment).map(({ kind }) => kind)),
];

/** Another environment may settle a call. @returns what replaces the CLI's words; null if all secrets are known. */
export function withheldFrom(names: readonly string[], environment: NodeJS.ProcessEnv, folder: string): string | null {
  const known = new Set(secretNames(environment));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return null;
  return `[withheld: ${unknown.join(', ')} of the call's environment is not set here, so what it hides could not be taken out; as it was: ${folder}]`;
}
