// Reads the known facts of a session before any change: whether it is broken, and which CLI version wrote it.

import { adapterOf } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import type { Conversation, SessionFile } from '../../wrappers/sessions/store.ts';
import type { SessionHealth } from './recovering.ts';

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
