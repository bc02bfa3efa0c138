// A usage limit with a reset, apart from the rate limits that pass within the hour.

import { LIMITED, type Rule } from './rule.ts';

export const QUOTA_RULES = [
  {
    id: 'quota-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'insufficient_quota',
        'quota_exceeded',
        'session_quota_exceeded',
        'free_quota_exceeded',
        'usage_limit_reached',
        'usage_not_included',
        'overage_limit_reached',
        'additional_spend_limit_reached',
        'organization_spend_limit_exceeded',
        'billing_not_configured',
        'billing_hard_limit_reached',
        'insufficient_balance',
        'insufficient_credits',
        'user_weekly_rate_limited',
        'QUOTA_EXHAUSTED',
        'BILLING_DISABLED',
        'INSUFFICIENT_G1_CREDITS_BALANCE',
        'dailyLimitExceeded',
        'quota',
      ],
    },
    class: 'quota',
    reason: 'plan',
  },
  {
    id: 'quota-payment',
    tool: 'any',
    source: 'any',
    match: { status: [402] },
    class: 'quota',
    reason: 'billing',
  },
  {
    id: 'quota-period',
    tool: 'any',
    source: 'any',
    match: {
      status: LIMITED,
      text: /(?:\bper[ _-]?|per)(?:day|week|month)|\b(?:daily|weekly|monthly)\b.{0,30}\b(?:quota|limit|usage|allowance|requests)|\b(?:quota|limit|credits)\b.{0,30}\bfor (?:the|this) (?:day|week|month)|\b(?:requests?|quota|limit|credits)\b.{0,20}\bfor today/i,
    },
    class: 'quota',
    reason: 'period',
  },
  {
    id: 'quota-balance',
    tool: 'any',
    source: 'any',
    match: {
      status: [...LIMITED, 400],
      text: /\b(?:out of|run out of|no remaining|no more|insufficient|not enough|purchase more|exhausted (?:your|all))\b.{0,25}\b(?:credits?|funds|balance|quota)\b|\bcredit balance\b|\bno quota left|\bpayment required/i,
    },
    class: 'quota',
    reason: 'balance',
  },
  {
    id: 'quota-plan',
    tool: 'any',
    source: 'any',
    match: {
      status: LIMITED,
      text: /\busage limit|\bplan limit|\bspend(?:ing)? (?:cap|limit)|\bpremium requests?\b|\bbilling (?:hard )?limit|\benable billing|billing (?:to be|is not|must be) enabled|\bupgrade to (?:plus|pro|max|a paid)|\bupgrade your plan|\b\d+-hour limit|\bsession limit reached|\bsession budget|\b(?:reached|hit|exceeded) your (?!rate\b|current quota\b)\S{0,20} ?(?:limit|quota|allowance)/i,
    },
    class: 'quota',
    reason: 'plan',
  },
  {
    id: 'quota-long-reset',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none', 403, 429],
      wait: 'long',
      text: /\b(?:quota|limit\w*|capacity|exhausted|too many requests|throttl\w*|requests?|retry|reset\w*)\b|_LIMIT/i,
    },
    class: 'quota',
    reason: 'long_reset',
  },
  {
    // Google says "check your plan and billing details" for the limit of a minute too.
    id: 'quota-passing',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none', 403, 429],
      wait: 'short',
      text: /\b(?:quota|limit\w*|exhausted|too many requests|throttl\w*|capacity)\b|suggested retry/i,
    },
    class: 'transient',
    reason: 'rate_limit',
  },
  {
    id: 'quota-minute',
    tool: 'any',
    source: 'any',
    match: { status: LIMITED, text: /\bper[ _-]?(?:min(?:ute)?|sec(?:ond)?)\b|PerMinute|\b(?:RPM|TPM)\b/ },
    class: 'transient',
    reason: 'rate_limit',
  },
  {
    id: 'quota-words',
    tool: 'any',
    source: 'any',
    match: {
      status: LIMITED,
      text: /\bexceeded your current quota|\bquota (?:exceeded|exhausted|reached)|\b(?:exceeded|exhausted) (?:your|the) .{0,20}\b(?:quota|capacity)|\bplan and billing/i,
    },
    class: 'quota',
    reason: 'plan',
  },
  {
    id: 'quota-terminal',
    tool: 'gemini',
    source: 'any',
    match: { code: ['TerminalQuotaError'] },
    class: 'quota',
    reason: 'plan',
  },
] as const satisfies readonly Rule[];
