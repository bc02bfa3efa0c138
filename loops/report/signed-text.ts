// Computes the text behind a failure's signature again from the private files of its call, and redacts it.

import path from 'node:path';
import type { Verdict } from '../../policies/facts/evidence.ts';
import type { Finding } from '../../policies/facts/gate-record.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { signGate } from '../../policies/gate/gate-verdict.ts';
import { type Signature, sign } from '../../policies/signature/sign.ts';
import type { Call } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { restoreCall } from '../attempt/believed-draft.ts';
import { readableOf } from '../attempt/captured.ts';
import { contextOf, signAgain } from '../call/classify.ts';
import { outcomeOf } from '../call/close-orphaned-call.ts';

export interface SignedText {
  /** The source of the text: lines of stderr, the engine's error event, or tool, ending and verdict. */
  source: Signature['source'];
  normalised: string;
}

interface SignedFailure {
  signature: string;
  tool: Tool;
  verdict: Verdict;
  /** null for a failure without a call, such as a refusal. */
  call: Call | null;
  /** The findings of a gate; empty for a failure of the call itself. */
  findings: readonly Finding[];
}

/** @returns null if the signature cannot be computed again: the files are gone, or an earlier version made it. */
export async function signedTextOf(
  signed: SignedFailure,
  task: TaskFolder,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<SignedText | null> {
  const made = signed.call === null ? null : await fromFiles(signed.call, signed, task, environment, clock);
  const found = [made, ...fromDetail(signed)].find((one) => one?.signature === signed.signature);
  return found ? { source: found.source, normalised: found.normalised } : null;
}

async function fromFiles(
  call: Call,
  { verdict, signature }: SignedFailure,
  task: TaskFolder,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<Signature | null> {
  try {
    const restored = restoreCall(path.join(task.attempts, call.reserved.call_id), call, task, environment, clock);
    if (restored === null) return null;
    const { call: ended, attempt } = restored;
    const files = readableOf(attempt.files);
    const outcome = await outcomeOf(call, files, ended.request.adapter);
    outcome.streams?.close();
    const made = signAgain(outcome, verdict, contextOf(ended), ended.redactor.redact);
    // The signature was made from the raw text. A secret that was redacted since then changes the hash.
    const { errorLines, remarks, capture } = outcome;
    const said = JSON.stringify([errorLines, remarks, capture.failure, capture.errors, capture.retrying]);
    const isCut = files.stdout !== attempt.files.stdout && said.includes('[REDACTED:');
    return isCut ? { ...made, signature } : made;
  } catch {
    // Some of the files may have been removed.
    return null;
  }
}

/** Without text from the CLI, a signature is made from the known facts. A gate's signature is made from its findings. */
function fromDetail({ tool, verdict, findings, call }: SignedFailure): Signature[] {
  if (findings.length > 0) return [signGate(tool, findings)];
  const endings = [call?.ended?.ending ?? 'not_started', 'exited', 'not_started'] as const;
  return endings.map((ending) =>
    sign({
      tool,
      errorLines: [],
      eventText: null,
      detail: { ending, class: verdict.class, reason: verdict.reason, more: [] },
    }),
  );
}
