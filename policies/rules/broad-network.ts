// Defines broad rules, in unforeseen wordings, for the connection and the service behind it.

import { near } from './near.ts';
import type { Rule } from './rule.ts';

const UNSAID = ['none'] as const;

export const BROAD_NETWORK = [
  {
    id: 'broad-gave-up',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: /\bretried \d+ times|\bafter \d+ (?:attempts|retries|tries)|\bmax(?:imum)?(?: number of)? (?:retries|attempts)|\bretry (?:limit|budget)|\bgiving up\b|\bgave up\b/i,
    },
    class: 'transient',
    reason: 'inner_retry',
    proof: [{ message: 'Failed to get response from the AI model; retried 5 times' }],
  },
  {
    id: 'broad-network',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'networks?|connections?|sockets?|DNS|proxy|streams?|internet|websockets?|http[/ ]?2|requests?|fetch',
        'failed|fail(?:s|ure)|refused|reset|closed|lost|unreachable|disconnected|interrupted|aborted|time(?:d)?[ -]?out|terminated|dropped|hung up|unresponsive|no response|offline|errors?|goaway|before|ended',
      ),
    },
    class: 'transient',
    reason: 'network',
    proof: [{ message: 'Client network socket disconnected before secure TLS connection was established' }],
  },
  {
    id: 'broad-service',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'servers?|services?|models?|backends?|upstream|providers?|endpoint|engine',
        'errors?|overload(?:ed)?|busy|unavailable|capacity|internal|down|maintenance|degraded|outage|try(?: \\w+)? again|later|shortly|not respond(?:ing)?|unhealthy|trouble|problems|difficult(?:y|ies)',
      ),
    },
    class: 'transient',
    reason: 'server_error',
    proof: [{ message: 'The backend is down for maintenance' }],
  },
] as const satisfies readonly Rule[];
