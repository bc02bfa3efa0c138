// Defines the schema of a fallback: which tool is called instead of which.

import type { StandIn } from '../../../policies/verdict/stand-ins.ts';
import { orNull, reason, record, text, tool } from './parts.ts';

const account = text("The account of the user's settings; absent for the login of the environment");

export const STAND_IN = record<StandIn>(
  'A fallback: which tool is called instead of which',
  {
    tool,
    account,
    model: orNull(text('Its model'), "it is the CLI's own choice"),
    in_place_of: record<StandIn['in_place_of']>(
      'Who could not answer',
      {
        tool,
        account,
        model: orNull(text('Its model'), "it was the CLI's own choice"),
      },
      ['account'],
    ),
    reason: orNull(reason, 'nothing is known of it'),
  },
  ['account'],
);
