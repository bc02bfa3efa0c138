// Redacts raw files that remained when the call of a killed wrapper was closed without its secrets, or by an earlier version.

import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isRegular } from '../../state/disk/regular-file.ts';
import type { Ledger } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { attemptIn } from '../attempt/attempt.ts';
import { savedRedactor } from '../attempt/believed-draft.ts';
import { redactedOf } from '../attempt/captured.ts';
import { removeRaw } from '../attempt/close-attempt.ts';
import { copyRedacted } from '../attempt/redacted-copy.ts';

/** Handles calls that have a verdict. Files that cannot be redacted from here stay, and so do files that are to be kept. */
export function redactLeftRaw({ attempts }: TaskFolder, { calls }: Ledger, environment: NodeJS.ProcessEnv): void {
  for (const callId of namesIfAny(attempts)) {
    const { folder, files } = attemptIn(path.join(attempts, callId), '');
    const raw = [files.stdout, files.stderr].filter(isRegular);
    const call = calls.get(callId);
    if (raw.length === 0 || !call?.verdict) continue;
    const saved = savedRedactor(folder, call, environment);
    if (saved === null || saved.withheld !== null || saved.keepsRaw) continue;
    try {
      for (const file of raw) copyRedacted(file, redactedOf(file), saved.redactor, 'synced');
      removeRaw({ files }, saved.redactor);
    } catch {
      // The disk is full, or an agent still works there. The next run tries again.
    }
  }
}
