// The exit codes of the wrapper of a CLI: the published ones, or those that a description gives.

import { type ExitCodes, WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { Adapter } from '../adapter.ts';

export const exitCodesOf = ({ tool, described }: Pick<Adapter, 'tool' | 'described'>): ExitCodes =>
  described === undefined ? WRAPPER_EXIT[tool as BuiltIn] : { ok: 0, ...described.row.exits, refusedInput: null };
