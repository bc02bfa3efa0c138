// Replaces the draft of a call in its attempt and in the journal, which takes precedence, as if its guardian had written it.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../loops/attempt/phases.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { Call } from '../../state/journal/ledger.ts';
import type { TestTask } from './task-run.ts';

export const draftOf = ({ folder }: TestTask, { reserved }: Call): string =>
  path.join(folder, 'state/attempts', reserved.call_id, 'attempt.json');

export function rewriteDraft(task: TestTask, call: Call, change: (terms: CallTerms) => Partial<CallTerms>): void {
  const { call_id, terms } = call.reserved;
  const changes = change(terms!);
  const file = draftOf(task, call);
  const text = JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changes });
  writeFileSync(file, text);
  const journal = task.journal.file;
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const rewritten = lines.map((line) => {
    const fact = JSON.parse(line);
    if (fact.call_id !== call_id) return line;
    if (fact.fact === 'reserved') return JSON.stringify({ ...fact, terms: { ...fact.terms, ...changes } });
    if (fact.fact === 'started') return JSON.stringify({ ...fact, draft_sha256: sha256(Buffer.from(text)) });
    return line;
  });
  writeFileSync(journal, `${rewritten.join('\n')}\n`);
}
