// Lists the refusals of callers that may not call at all: keys, accounts, places, models.

import type { Rejection } from './rejection.ts';

const errorInfo = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata: { service: 'generativelanguage.googleapis.com' },
});

export const ACCESS_REJECTIONS = {
  '400key': {
    status: 400,
    gemini: {
      status: 'INVALID_ARGUMENT',
      message: 'API key not valid. Please pass a valid API key.',
      details: [errorInfo('API_KEY_INVALID')],
    },
    openai: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    anthropic: { type: 'authentication_error', message: 'invalid x-api-key' },
  },
  '400expired': {
    status: 400,
    gemini: {
      status: 'INVALID_ARGUMENT',
      message: 'API key expired. Please renew the API key.',
      details: [errorInfo('API_KEY_INVALID')],
    },
    openai: {
      message: 'Your authentication token has expired. Please try signing in again.',
      type: 'invalid_request_error',
      code: 'token_expired',
      http: 401,
    },
    anthropic: { type: 'authentication_error', message: 'OAuth token has expired.', http: 401 },
  },
  '400region': {
    status: 400,
    gemini: { status: 'FAILED_PRECONDITION', message: 'User location is not supported for the API use.' },
    openai: {
      message: 'Country, region, or territory not supported',
      type: 'request_forbidden',
      code: 'unsupported_country_region_territory',
      http: 403,
    },
    anthropic: { type: 'forbidden', message: 'Request not allowed', http: 403 },
  },
  '401': {
    status: 401,
    gemini: {
      status: 'UNAUTHENTICATED',
      message:
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    },
    openai: {
      message:
        'Incorrect API key provided: sk-test-****0000. You can find your API key at https://platform.openai.com/account/api-keys.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    },
    anthropic: { type: 'authentication_error', message: 'invalid x-api-key' },
  },
  '402billing': {
    status: 402,
    gemini: {
      status: 'FAILED_PRECONDITION',
      message: 'This API method requires billing to be enabled. Please enable billing on your project.',
    },
    openai: {
      message: 'Billing hard limit has been reached.',
      type: 'billing_limit_user_error',
      code: 'billing_hard_limit_reached',
    },
    anthropic: {
      type: 'billing_error',
      message: 'Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits.',
    },
  },
  '403': {
    status: 403,
    gemini: { status: 'PERMISSION_DENIED', message: 'Permission denied: Consumer has been suspended.' },
    openai: {
      message: 'You do not have access to this model.',
      type: 'invalid_request_error',
      code: 'permission_denied',
    },
    anthropic: {
      type: 'permission_error',
      message: 'Your API key does not have permission to use the specified resource.',
    },
  },
  '404': {
    status: 404,
    gemini: {
      status: 'NOT_FOUND',
      message: 'models/nope is not found for API version v1beta, or is not supported for generateContent.',
    },
    openai: {
      message: 'The model `nope` does not exist or you do not have access to it.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
    anthropic: { type: 'not_found_error', message: 'model: nope' },
  },
  '401deactivated': {
    status: 401,
    gemini: { status: 'UNAUTHENTICATED', message: 'The account has been deactivated.' },
    openai: {
      message: 'Your OpenAI account has been deactivated, please check your email for more information.',
      type: 'invalid_request_error',
      code: 'account_deactivated',
    },
    anthropic: { type: 'authentication_error', message: 'This organization has been disabled.' },
  },
  '403disabled': {
    status: 403,
    gemini: {
      status: 'PERMISSION_DENIED',
      message:
        'Generative Language API has not been used in project 123456789012 before or it is disabled. Enable it by visiting the console then retry.',
      details: [errorInfo('SERVICE_DISABLED')],
    },
    openai: {
      message: 'Project `proj_test` does not have access to model `gpt-x`',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
    anthropic: { type: 'permission_error', message: 'Access to this model is not enabled for your organization.' },
  },
  '400model': {
    status: 400,
    gemini: { status: 'INVALID_ARGUMENT', message: 'Model gemini-nope is not supported in this location.' },
    openai: {
      message: "The 'gpt-x' model is not supported when using Codex with a ChatGPT account.",
      type: 'invalid_request_error',
      code: null,
    },
    anthropic: { type: 'invalid_request_error', message: 'model: nope is not a valid model' },
  },
} as const satisfies Record<string, Rejection>;
