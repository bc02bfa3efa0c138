// What is written down of the sessions of one tag and tool while a stage has them: a file that cannot be written costs a note.

import type { SessionEntry } from '../../policies/session-entry.ts';
import { readSessions, type Sessions } from '../../state/sessions-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { StageRun } from '../run/stage.ts';
import { changeSessions } from './change-sessions.ts';
import { freshEntry } from './resolve.ts';

export interface KeptEntries {
  /** As they were when they were last read or written. */
  all(): Sessions;
  /** The one that the tag goes on in here. */
  current(): SessionEntry | null;
  /** What is known of a session, under this tag or another. */
  known(id: string): SessionEntry;
  /** It is the tag's from now on. @param inPlaceOf one that nobody should go on in. */
  keep(entry: SessionEntry, inPlaceOf?: string): Promise<void>;
  /** It is the tag's no more. @param given it is not found again by its tag either. */
  drop(id: string, given: 'given_up' | 'lost'): Promise<void>;
  notes: string[];
}

export async function keptEntries(run: StageRun, tag: string): Promise<KeptEntries> {
  const { open, stage, clock } = run;
  const { tool } = stage;
  const folder = (await ADAPTERS[tool].sessions()).boundToCwd ? open.cwd : null;
  let sessions = await readSessions(open.stateFolder, clock);
  const notes: string[] = [];
  const told = new Set(sessions.warnings);
  const change = async (what: (all: Sessions) => Sessions) => {
    try {
      sessions = await changeSessions({ stateFolder: open.stateFolder, taskId: open.task.id, clock }, what);
      for (const warning of sessions.warnings) {
        // Of those that stood there when it was first read the run has told.
        if (!told.has(warning)) notes.push(warning);
        told.add(warning);
      }
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const note = `its session could not be written down (${error.message}); the next run looks for it`;
      if (!notes.includes(note)) notes.push(note);
      sessions = what(sessions);
    }
  };
  return {
    notes,
    all: () => sessions,
    current: () => sessions.entry(tag, tool, folder),
    known: (id) =>
      sessions.entries().find((each) => each.tool === tool && each.entry.session_id === id)?.entry ??
      freshEntry(run, tag, id, clock(), { context_tokens: null, total_tokens: 0 }),
    keep: (entry, inPlaceOf) =>
      change((all) => {
        const rest = inPlaceOf === undefined || inPlaceOf === entry.session_id ? all : all.givingUp(tool, inPlaceOf);
        return rest.with(tag, tool, { ...entry, feature_id: tag }, folder);
      }),
    drop: (id, given) =>
      change((all) => {
        const rest = all.without(tag, tool, id);
        return given === 'given_up' ? rest.givingUp(tool, id) : rest;
      }),
  };
}
