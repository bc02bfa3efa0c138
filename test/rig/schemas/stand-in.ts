// Defines the schema of a fallback: which tool is called instead of which.

import type { StandIn } from '../../../policies/verdict/stand-ins.ts';
import { orNull, reason, record, text, tool } from './parts.ts';

const account = text("The account of the user's settings; absent for the login of the environment");

export const STAND_IN = record<StandIn>(
  'A fallback: the CLI that was called, and the one that it replaced',
  {
    tool,
    account,
    model: orNull(text('Requested model'), 'the CLI chooses it'),
    in_place_of: record<StandIn['in_place_of']>(
      'The CLI, account and model that could not answer',
      {
        tool,
        account,
        model: orNull(text('Requested model'), 'the CLI chose it'),
      },
      ['account'],
    ),
    reason: orNull(reason, 'unknown'),
  },
  ['account'],
);
