// Not authenticated, or not authorised.

import { REFUSED, type Rule } from './rule.ts';

export const ACCESS_RULES = [
  {
    id: 'access-region',
    tool: 'any',
    source: 'any',
    match: {
      status: [...REFUSED, 451],
      text: /\blocation is not supported|\b(?:country|region|territory)\b.{0,40}\bnot (?:supported|available|allowed)|not (?:available|supported) in your (?:country|region|location)|unsupported_country/i,
    },
    class: 'auth',
    reason: 'region_unsupported',
  },
  {
    id: 'access-key-code',
    tool: 'any',
    source: 'any',
    match: { code: ['invalid_api_key', 'API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED'] },
    class: 'auth',
    reason: 'bad_key',
  },
  {
    id: 'access-token-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'UNAUTHENTICATED',
        'ACCESS_TOKEN_EXPIRED',
        'ACCESS_TOKEN_TYPE_UNSUPPORTED',
        'CREDENTIALS_MISSING',
        'authentication_error',
        'authentication',
        'invalid_authentication',
        'invalid_grant',
        'token_expired',
        'token_revoked',
        'token_invalidated',
        'unauthorized',
        'FatalAuthenticationError',
      ],
    },
    class: 'auth',
    reason: 'bad_credentials',
  },
  {
    id: 'access-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'PERMISSION_DENIED',
        'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        'CONSUMER_SUSPENDED',
        'CONSUMER_INVALID',
        'SERVICE_DISABLED',
        'VALIDATION_REQUIRED',
        'ValidationRequiredError',
        'permission_error',
        'account_deactivated',
        'access_denied',
        'authorization',
        'policy',
      ],
    },
    class: 'auth',
    reason: 'not_authorised',
  },
  {
    id: 'access-key',
    tool: 'any',
    source: 'any',
    match: {
      status: REFUSED,
      text: /\bapi[ _-]?key\b.{0,30}\b(?:not valid|invalid|expired|missing|not found|revoked|leaked|required|not set)|\b(?:incorrect|invalid|expired|missing|wrong|revoked|no)\b (?:x-)?api[ _-]?key|missing environment variable|\b(?:specify|set|setting) the \w*(?:KEY|TOKEN)\b|\b\w+_(?:KEY|TOKEN)\b.{0,40}\b(?:not (?:set|found|provided|defined)|missing|required)/i,
    },
    class: 'auth',
    reason: 'bad_key',
  },
  {
    id: 'access-sign-in',
    tool: 'any',
    source: 'any',
    match: {
      status: REFUSED,
      text: /\bnot (?:logged|signed) in\b|\b(?:log|sign)(?:ged|ging|ing)? in(?:to)? again|\bplease (?:log|sign) ?in\b|\b(?:login|sign-in|authentication) (?:is )?required|\bre-?authenticate|\bcodex login\b|\bauth login\b|['`/]login\b|set an auth method|invalid auth method|no (?:authentication|credentials)\b.{0,20}\b(?:found|provided|configured|available)|authentication information/i,
    },
    class: 'auth',
    reason: 'not_signed_in',
  },
  {
    id: 'access-token',
    tool: 'any',
    source: 'any',
    match: {
      status: REFUSED,
      text: /\b(?:token|credentials?|session)\b.{0,40}\b(?:expired|revoked|invalid|rejected|could not be (?:validated|refreshed))|\b(?:invalid|expired|revoked|bad|missing)\b (?:\w+ )?(?:token|credentials?)\b(?! count)|authentication (?:failed|error)|\binsufficient\b.{0,20}\b(?:scopes?|permissions?|privileges)|\binvalid_grant\b/i,
    },
    class: 'auth',
    reason: 'bad_credentials',
  },
  {
    id: 'access-denied',
    tool: 'any',
    source: 'any',
    match: {
      status: REFUSED,
      text: /\bnot (?:authori[sz]ed|licensed|entitled|permitted) to\b|\baccess denied by (?:policy|your organi[sz]ation)|\bdo(?:es)? not have (?:access to|permission to use|the \S+ permission|Copilot)|\b(?:account|organi[sz]ation|consumer|project)\b.{0,20}\b(?:suspended|deactivated|disabled)/i,
    },
    class: 'auth',
    reason: 'not_authorised',
  },
  {
    id: 'access-words',
    tool: 'any',
    source: 'any',
    match: { status: ['none'], text: /\bunauthenticated\b|\bunauthori[sz]ed\b|\bforbidden\b/i },
    class: 'auth',
    reason: 'not_authorised',
  },
] as const satisfies readonly Rule[];
