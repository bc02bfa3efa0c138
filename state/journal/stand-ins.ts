// Who had been asked in place of whom when a call of a stage was made, the first one first.

import type { StandIn } from '../../policies/retry/stand-ins.ts';
import type { Ledger } from './ledger.ts';

/** Of the run that made the call, up to it. */
export function standInsOf({ calls, decided }: Ledger, callId: string): StandIn[] {
  const call = calls.get(callId)?.reserved;
  if (call === undefined || call.run_id === null) return [];
  return decided.flatMap(({ run_id, stage, at, stand_in }) =>
    run_id === call.run_id && stage === call.stage && at <= call.at && stand_in !== undefined ? [stand_in] : [],
  );
}

/** All that the run came to, asked or not yet. */
export const standInsIn = ({ decided }: Ledger, runId: string, of: string): StandIn[] =>
  decided.flatMap(({ run_id, stage, stand_in }) =>
    run_id === runId && stage === of && stand_in !== undefined ? [stand_in] : [],
  );
