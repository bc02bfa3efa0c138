// Reads the known facts of a session before any change: whether it is broken, and which CLI version wrote it.

import { createRedactor } from '../../policies/redact/create-redactor.ts';
import type { ContextTokens, Flaw } from '../../policies/session/conversation.ts';
import { counted, printable, visible } from '../../policies/text/display.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import type { Conversation, SessionFile } from '../../wrappers/sessions/store.ts';

export interface SessionHealth {
  turns: number;
  /** null: not known for this version of its CLI. */
  flaws: Flaw[] | null;
  cliVersion: string | null;
  context: ContextTokens | null;
  lastPrompt: string | null;
}

/** Throws SessionFileError. */
export function healthOf(conversation: Conversation, environment: NodeJS.ProcessEnv): SessionHealth {
  const { turns, session } = conversation;
  const cliVersion = installedVersion(session, environment);
  return {
    turns,
    flaws: conversation.flaws(cliVersion),
    cliVersion,
    context: conversation.contextTokens(),
    lastPrompt: turns === 0 ? null : conversation.read(turns, turns)[0]!.prompt,
  };
}

/** Returns the version of the CLI that would resume the session; if none is found, of the one that began it. */
export function installedVersion({ tool, cliVersion }: SessionFile, environment: NodeJS.ProcessEnv): string | null {
  const { binary, packageName } = adapterOf(tool);
  const file = findBinary(binary, environment.PATH);
  return (file === null ? null : versionOfPackage(file, packageName)) ?? cliVersion;
}

/** @param refusal the last message of the service; null if it is not known. It comes first. */
export function healthLines(
  { turns, flaws, cliVersion, context, lastPrompt }: SessionHealth,
  environment: NodeJS.ProcessEnv,
  refusal: string | null = null,
): string[] {
  const { redact } = createRedactor({ env: environment, patterns: [] });
  const tokens = context === null ? '' : `, ${context.input + context.output} tokens of context`;
  return [
    ...(refusal === null ? [] : [`refused: ${printable(redact(refusal), 300)}`]),
    `${counted(turns, 'turn')}${tokens}`,
    ...(lastPrompt === null ? [] : [`last prompt: ${printable(redact(lastPrompt), 100)}`]),
    ...(flaws === null ? [`it is unknown whether version ${cliVersion ?? '(unknown)'} accepts it`] : []),
    ...(flaws?.length === 0 ? ['it is well-formed'] : flawLines(flaws ?? [])),
  ];
}

const SHOWN_FLAWS = 5;

export function flawLines(flaws: readonly Flaw[]): string[] {
  const shown = flaws.slice(0, SHOWN_FLAWS).map((flaw) => `turn ${flaw.turn}: ${SAYS[flaw.how](flaw)}`);
  const more = flaws.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more`];
}

const nameOf = ({ name, id }: Flaw): string => visible(name ?? id);

const SAYS = {
  unanswered_call: (flaw) => `the call of ${nameOf(flaw)} has no response`,
  doubled_response: (flaw) => `the call of ${nameOf(flaw)} has two responses, one too many`,
  stray_response: (flaw) => `a response of ${nameOf(flaw)} answers no call`,
} as const satisfies Record<Flaw['how'], (flaw: Flaw) => string>;
