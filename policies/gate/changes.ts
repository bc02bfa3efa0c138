// Checks that a stage that must change the tree has changed it.

import type { Change, Finding } from '../facts/gate-record.ts';

export function checkChanges(changes: readonly Change[], mayBeEmpty: boolean): Finding | null {
  if (changes.length > 0 || mayBeEmpty) return null;
  return {
    check: 'changes',
    class: 'contract_violation',
    reason: 'no_change',
    missing: ['a change in the working tree'],
    text: 'the stage must change the working tree, and changed nothing',
    next_actions: [],
  };
}
