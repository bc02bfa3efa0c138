// Writes a project's sessions.json as a test needs it.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { SESSION } from './streams.ts';

export const sessionsFileOf = ({ project }: { project: string }): string =>
  path.join(project, '.tmp/state/sessions.json');

/** Writes these entries by their tags, all of one CLI, and nothing else. */
export function keepEntries(
  rig: { project: string },
  tool: string,
  entries: Record<string, Partial<SessionEntry>>,
): void {
  const whole = (tag: string, entry: Partial<SessionEntry>): SessionEntry => ({
    session_id: SESSION,
    last_used: new Date().toISOString(),
    error_count: 0,
    total_tokens: 0,
    context_tokens: null,
    feature_id: tag,
    cwd: rig.project,
    ...entry,
  });
  const tags = Object.entries(entries).map(([tag, entry]) => [tag, { [tool]: whole(tag, entry) }]);
  const file = sessionsFileOf(rig);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ active_sessions: Object.fromEntries(tags) }));
}
