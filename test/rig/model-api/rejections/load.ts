// Lists the refusals of a service that cannot take the call now: limits, quotas, overload, internal errors.

import type { Rejection } from './rejection.ts';

const RPC = 'type.googleapis.com/google.rpc';
const FREE_TIER = 'generativelanguage.googleapis.com/generate_content_free_tier_requests';
const quotaFailure = (per: string) => ({
  '@type': `${RPC}.QuotaFailure`,
  violations: [{ quotaMetric: FREE_TIER, quotaId: `GenerateRequestsPer${per}PerProjectPerModel-FreeTier` }],
});
const retryInfo = (seconds: number) => ({ '@type': `${RPC}.RetryInfo`, retryDelay: `${seconds}s` });

const rateLimit = (wait: string) =>
  `Rate limit reached for gpt-x in organization org-test on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in ${wait}.`;

export const LOAD_REJECTIONS = {
  '408': {
    status: 408,
    gemini: { status: 'DEADLINE_EXCEEDED', message: 'The request timed out. Please try again.' },
    openai: { message: 'Timed out reading the request.', type: 'server_error', code: null },
    anthropic: { type: 'timeout_error', message: 'Request timed out' },
  },
  '429': {
    status: 429,
    headers: { 'retry-after': '2' },
    gemini: {
      status: 'RESOURCE_EXHAUSTED',
      message: 'Resource has been exhausted (e.g. check quota).',
      details: [quotaFailure('Minute'), retryInfo(2)],
    },
    openai: { message: rateLimit('2s'), type: 'tokens', code: 'rate_limit_exceeded' },
    anthropic: { type: 'rate_limit_error', message: 'This request would exceed the rate limit of your organization.' },
  },
  '429plain': {
    status: 429,
    gemini: { status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted (e.g. check quota).' },
    openai: { message: 'Rate limit reached.', type: 'requests', code: 'rate_limit_exceeded' },
    anthropic: { type: 'rate_limit_error', message: 'This request would exceed the rate limit of your organization.' },
  },
  '429long': {
    status: 429,
    headers: { 'retry-after': '3600' },
    gemini: {
      status: 'RESOURCE_EXHAUSTED',
      message: 'Resource has been exhausted (e.g. check quota).',
      details: [quotaFailure('Minute'), retryInfo(3600)],
    },
    openai: { message: rateLimit('1h0m0s'), type: 'tokens', code: 'rate_limit_exceeded' },
    anthropic: { type: 'rate_limit_error', message: 'This request would exceed the rate limit of your organization.' },
  },
  '429daily': {
    status: 429,
    gemini: {
      status: 'RESOURCE_EXHAUSTED',
      message: 'You exceeded your current quota, please check your plan and billing details.',
      details: [quotaFailure('Day')],
    },
    openai: {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    },
    anthropic: { type: 'rate_limit_error', message: 'You have reached your usage limit for today.' },
  },
  '500': {
    status: 500,
    gemini: {
      status: 'INTERNAL',
      message:
        'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    },
    openai: {
      message: 'The server had an error while processing your request. Sorry about that!',
      type: 'server_error',
      code: null,
    },
    anthropic: { type: 'api_error', message: 'Internal server error' },
  },
  '503': {
    status: 503,
    gemini: { status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
    openai: {
      message: 'The engine is currently overloaded, please try again later',
      type: 'server_error',
      code: 'server_is_overloaded',
    },
    anthropic: { type: 'overloaded_error', message: 'Overloaded' },
  },
  '504': {
    status: 504,
    gemini: { status: 'DEADLINE_EXCEEDED', message: 'Deadline expired before operation could complete.' },
    openai: { message: 'The upstream server timed out.', type: 'server_error', code: null },
    anthropic: { type: 'timeout_error', message: 'Request timed out' },
  },
  '529': {
    status: 529,
    gemini: { status: 'UNAVAILABLE', message: 'The service is overloaded. Please try again later.' },
    openai: { message: 'The service is overloaded.', type: 'overloaded_error', code: null },
    anthropic: { type: 'overloaded_error', message: 'Overloaded' },
  },
} as const satisfies Record<string, Rejection>;
