// Finds which tool or model replaced which when a call of a stage was made, the first replacement first.

import type { StandIn } from '../../policies/verdict/stand-ins.ts';
import type { Call, Ledger } from './ledger.ts';

/** For the run that made the call, up to it. */
export function standInsOf({ decided }: Pick<Ledger, 'decided'>, { reserved, before }: Call): StandIn[] {
  const { run_id, stage } = reserved;
  return run_id === null ? [] : standInsIn({ decided: decided.slice(0, before.decided) }, run_id, stage);
}

/** All fallbacks that the run chose, called or not yet. */
export const standInsIn = ({ decided }: Pick<Ledger, 'decided'>, runId: string, of: string): StandIn[] =>
  decided.flatMap(({ run_id, stage, stand_in }) =>
    run_id === runId && stage === of && stand_in !== undefined ? [stand_in] : [],
  );
