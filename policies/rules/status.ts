// The HTTP status alone, when nothing more telling was said.

import type { Rule } from './rule.ts';

export const STATUS_RULES = [
  {
    id: 'status-unauthorised',
    tool: 'any',
    source: 'any',
    match: { status: [401] },
    class: 'auth',
    reason: 'bad_credentials',
  },
  {
    id: 'status-forbidden',
    tool: 'any',
    source: 'any',
    match: { status: [403, 451] },
    class: 'auth',
    reason: 'not_authorised',
  },
  {
    id: 'status-proxy',
    tool: 'any',
    source: 'any',
    match: { status: [407] },
    class: 'auth',
    reason: 'proxy_auth',
  },
  {
    id: 'status-not-found',
    tool: 'any',
    source: 'any',
    match: { status: [404, 410] },
    class: 'tooling',
    reason: 'not_found',
  },
  {
    id: 'status-passing',
    tool: 'any',
    source: 'any',
    match: { status: [409, 421, 423, 424, 425, 499] },
    class: 'transient',
    reason: 'conflict',
  },
  {
    // The same request would be refused again.
    id: 'status-refused',
    tool: 'any',
    source: 'any',
    match: { status: ['4xx'] },
    class: 'tooling',
    reason: 'bad_request',
  },
] as const satisfies readonly Rule[];
