// Keeps the records of a tag's sessions for one tool while a stage uses them. If a file cannot be written, it adds a note.

import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { realOr } from '../../state/disk/real-folder.ts';
import { JournalError } from '../../state/journal/journal.ts';
import { readSessions, type Sessions } from '../../state/sessions/sessions-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { changeSessions } from '../session/change-sessions.ts';
import { notedSession } from '../session/find-lost-session.ts';
import type { StageRun } from '../task/stage-run.ts';
import { freshEntry, isLost, lastKnown } from './resolve.ts';

export interface KeptEntries {
  /** As they were when they were last read or written. */
  all(): Sessions;
  /** The current session of the tag in this folder. */
  current(): SessionEntry | null;
  /** The tag's session here according to the tasks' journals, if sessions.json is lost. */
  noted: SessionEntry | null;
  /** What is known of a session, under this tag or another. */
  known(id: string): SessionEntry;
  /** Makes it the session of the tag. @param inPlaceOf the session that it replaces, which must not be resumed. */
  keep(entry: SessionEntry, inPlaceOf?: string): Promise<void>;
  /** Removes the session from the tag. @param given `given_up`: a search by the tag must not find it either. */
  drop(id: string, given: 'given_up' | 'lost'): Promise<void>;
  notes: string[];
}

export async function keptEntries(run: StageRun, tag: string): Promise<KeptEntries> {
  const { open, stage, context } = run;
  const { clock } = context;
  const { tool, account } = stage;
  const folder = (await adapterOf(tool).sessions()).boundToCwd ? open.cwd : null;
  const place = {
    ...{ tag, tool, folder: folder === null ? null : realOr(folder) },
    ...(account === undefined ? {} : { account }),
  };
  let sessions = await readSessions(open.stateFolder, clock);
  const isStrange = sessions.isStrange(tag, tool, folder, account);
  const noted = isStrange || isLost(sessions) ? notedSession(open.stateFolder, place) : null;
  let rebuilt: SessionEntry | null = isStrange ? noted : null;
  const withRebuilt = (all: Sessions): Sessions =>
    rebuilt === null ? all : { ...all.rebuilt({ ...place, entry: rebuilt }), warnings: all.warnings };
  sessions = withRebuilt(sessions);
  const notes: string[] = [];
  const reported = new Set(sessions.warnings());
  const change = async (what: (all: Sessions) => Sessions) => {
    try {
      const changed = await changeSessions({ stateFolder: open.stateFolder, taskId: open.task.id, clock }, what);
      sessions = withRebuilt(changed);
      for (const warning of sessions.warnings()) {
        // The run has already reported the warnings of the first read.
        if (!reported.has(warning)) notes.push(warning);
        reported.add(warning);
      }
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const note = `its session could not be written down (${error.message}); the next run looks for it`;
      if (!notes.includes(note)) notes.push(note);
      sessions = withRebuilt(what(sessions));
    }
  };
  const note = async (entry: SessionEntry | null) => {
    if (isStrange) rebuilt = entry;
    try {
      await open.journal.note({ fact: 'session', ...place, entry });
    } catch (error) {
      // If the journal lacks the entry, sessions.json contains it.
      if (!(error instanceof JournalError) && !isSystemError(error)) throw error;
    }
  };
  const known = (id: string) => lastKnown(sessions, tool, id) ?? freshEntry(run, tag, id, clock());
  /** A task that names a session which was given up continues in its replacement. */
  const replacementOf = (id: string) => {
    const named = open.manifest.meta.session_id;
    return named !== undefined && [id, known(id).in_place_of].includes(named) ? { in_place_of: named } : {};
  };
  return {
    notes,
    all: () => sessions,
    current: () => sessions.entry(tag, tool, folder, account),
    noted: isStrange ? null : noted,
    known,
    async keep(entry, inPlaceOf) {
      const replaced = inPlaceOf === entry.session_id ? undefined : inPlaceOf;
      const kept = { ...entry, feature_id: tag, ...(replaced === undefined ? {} : replacementOf(replaced)) };
      await note(kept);
      await change((all) =>
        (replaced === undefined ? all : all.givingUp(tool, replaced)).with(tag, tool, kept, folder),
      );
    },
    async drop(id, given) {
      if (sessions.entry(tag, tool, folder, account)?.session_id === id) await note(null);
      await change((all) => {
        const rest = all.without(tag, tool, id);
        return given === 'given_up' ? rest.givingUp(tool, id) : rest;
      });
    },
  };
}
