// The service is there, but not now: limits that pass, load, its own mistakes.

import type { Rule } from './rule.ts';

export const SERVICE_RULES = [
  {
    id: 'service-rate-limit',
    tool: 'any',
    source: 'any',
    match: { status: [429] },
    class: 'transient',
    reason: 'rate_limit',
  },
  {
    id: 'service-rate-limit-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'rate_limit_exceeded',
        'rate_limit_error',
        'rate_limit',
        'rate_limited',
        'user_global_rate_limited',
        'user_model_rate_limited',
        'integration_rate_limited',
        'rateLimitExceeded',
        'userRateLimitExceeded',
        'RESOURCE_EXHAUSTED',
        'ThrottlingException',
      ],
    },
    class: 'transient',
    reason: 'rate_limit',
  },
  {
    id: 'service-overloaded',
    tool: 'any',
    source: 'any',
    match: { status: [503, 529] },
    class: 'transient',
    reason: 'overloaded',
  },
  {
    id: 'service-timeout',
    tool: 'any',
    source: 'any',
    match: { status: [408, 504, 522, 524] },
    class: 'transient',
    reason: 'timeout',
  },
  {
    id: 'service-error',
    tool: 'any',
    source: 'any',
    match: { status: ['5xx'] },
    class: 'transient',
    reason: 'server_error',
  },
  {
    id: 'service-overloaded-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'overloaded_error',
        'server_is_overloaded',
        'model_overloaded',
        'slow_down',
        'UNAVAILABLE',
        'MODEL_CAPACITY_EXHAUSTED',
        'MODEL_CAPACITY_EXCEEDED',
      ],
    },
    class: 'transient',
    reason: 'overloaded',
  },
  {
    id: 'service-error-code',
    tool: 'any',
    source: 'any',
    match: { code: ['INTERNAL', 'server_error', 'api_error', 'internal_server_error', 'DEADLINE_EXCEEDED', 'ABORTED'] },
    class: 'transient',
    reason: 'server_error',
  },
  {
    id: 'service-rate-limit-words',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none', 403],
      text: /\brate[- _]?limit|\btoo many requests\b|\bthrottl|\bresource (?:has been |was )?exhausted|\bRESOURCE_EXHAUSTED\b/i,
    },
    class: 'transient',
    reason: 'rate_limit',
  },
  {
    id: 'service-overloaded-words',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /\boverloaded\b|\bat capacity\b|\bhigh demand\b|\bno capacity\b|\bcapacity (?:is )?unavailable|\b(?:service|server|model|temporarily) (?:is )?(?:temporarily |currently )?(?:unavailable|busy)/i,
    },
    class: 'transient',
    reason: 'overloaded',
  },
] as const satisfies readonly Rule[];
