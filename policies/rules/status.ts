// Defines the rules for the HTTP status alone, if there is no more informative message.

import type { Rule } from './rule.ts';

export const STATUS_RULES = [
  {
    id: 'status-unauthorised',
    tool: 'any',
    source: 'any',
    match: { status: [401] },
    class: 'auth',
    reason: 'bad_credentials',
    proof: [{ message: '401 status code (no body)', status: 401 }],
  },
  {
    id: 'status-forbidden',
    tool: 'any',
    source: 'any',
    match: { status: [403, 451] },
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: '<html>Just a moment...</html>', status: 403 }],
  },
  {
    id: 'status-proxy',
    tool: 'any',
    source: 'any',
    match: { status: [407] },
    class: 'auth',
    reason: 'proxy_auth',
    proof: [{ message: '407 Proxy Authentication Required', status: 407 }],
  },
  {
    id: 'status-not-found',
    tool: 'any',
    source: 'any',
    match: { status: [404, 410] },
    class: 'tooling',
    reason: 'not_found',
    proof: [{ message: '404 page not found', status: 404 }],
  },
  {
    id: 'status-passing',
    tool: 'any',
    source: 'any',
    match: { status: [409, 421, 423, 424, 425, 499] },
    class: 'transient',
    reason: 'conflict',
    proof: [{ message: 'Conflict: try again', status: 409 }],
  },
  {
    // The same request would be refused again.
    id: 'status-refused',
    tool: 'any',
    source: 'any',
    match: { status: ['4xx'] },
    class: 'tooling',
    reason: 'bad_request',
    proof: [{ message: '400 Bad Request', status: 400 }],
  },
] as const satisfies readonly Rule[];
