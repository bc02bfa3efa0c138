// A status of gRPC as the only word: the last thing to be asked, since beside any other word that one tells more.

import type { Rule } from '../rule/rule.ts';

const UNSAID = ['none'] as const;

export const GRPC_RULES = [
  {
    id: 'grpc-refused',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      code: ['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'ALREADY_EXISTS', 'UNIMPLEMENTED'],
    },
    class: 'tooling',
    reason: 'bad_request',
    proof: [{ message: '3 INVALID_ARGUMENT: ' }],
  },
  {
    id: 'grpc-not-found',
    tool: 'any',
    source: 'any',
    match: { status: UNSAID, code: ['NOT_FOUND'] },
    class: 'tooling',
    reason: 'not_found',
    proof: [{ message: '5 NOT_FOUND: ' }],
  },
  {
    id: 'grpc-cancelled',
    tool: 'any',
    source: 'any',
    match: { status: UNSAID, code: ['CANCELLED'] },
    class: 'transient',
    reason: 'server_error',
    proof: [{ message: '1 CANCELLED: ' }],
  },
] as const satisfies readonly Rule[];
