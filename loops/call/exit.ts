// Maps the ending and the verdict of a call to the wrapper's exit code.

import { CLASSES, EXIT_BUDGET } from '../../policies/facts/classes.ts';
import type { Ending, Verdict } from '../../policies/facts/evidence.ts';
import { EXIT_BY_SIGNAL, type ExitCodes, type StopSignal } from '../../policies/facts/exit-codes.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { exitCodesOf } from '../../wrappers/adapter.ts';
import type { Outcome } from '../../wrappers/run.ts';

interface EndedCall {
  codes: ExitCodes;
  ending: Ending;
  verdict: Verdict;
  /** The CLI refused its input before it made any request. */
  refusedInput: boolean;
  stoppedBy: StopSignal | null;
}

/** @returns one of the wrapper's codes, or the code of the signal that stopped it. */
export function wrapperExit({ codes, ending, verdict, refusedInput, stoppedBy }: EndedCall): number {
  if (verdict.class === null) return codes.ok;
  if (ending === 'cancelled') return stoppedBy === null ? codes.failure : EXIT_BY_SIGNAL[stoppedBy];
  if (ending === 'timed_out' || ending === 'idle') return codes.timeout;
  return refusedInput ? (codes.refusedInput ?? codes.failure) : codes.failure;
}

/** @returns the exit code of a call that ran. */
export function exitOf(adapter: Adapter, outcome: Outcome, verdict: Verdict, stoppedBy: StopSignal | null): number {
  const { ending, exitCode, capture } = outcome;
  const requests = capture.usage.api_requests;
  const refusedInput = adapter.refusedInput({ exitCode, class: verdict.class, requests });
  return wrapperExit({ codes: exitCodesOf(adapter), ending, verdict, refusedInput, stoppedBy });
}

/** With --exit-by-class, some classes have their own exit code. */
export function exitByClass(code: number, verdict: Verdict): number {
  if (verdict.class === null) return code;
  if (verdict.class === 'quota' && verdict.reason === 'budget') return EXIT_BUDGET;
  return CLASSES[verdict.class].exitByClass ?? code;
}
