// Defines broad rules, in unforeseen wordings, for credentials, permissions and what they give access to.

import { near } from './near.ts';
import type { Rule } from './rule.ts';

const UNSAID = ['none'] as const;

export const BROAD_ACCESS = [
  {
    id: 'broad-credential',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        '(?:api|access|secret|license)[ _-]?keys?|(?:(?:access|refresh|auth|oauth|bearer|id|github|session|personal access|security) )?token(?! (?:count|limit|budget|usage|\'|"|<))|credentials?|password|log(?:ged)? ?in|sign(?:ed)?[- ]?(?:in|on)|authenticat(?:e|ed|ion)|authori[sz]ation|oauth|keychain|keyring',
        "missing|required|requires?|invalid|incorrect|expired?|revoked|denied|rejected|malformed|not (?:valid|found|set|provided|configured|recogni[sz]ed|have)|no|(?:could|can) ?not|couldn.t|can't|didn.t provide|fail(?:ed|ure|s)?|unable|must|bad|wrong|leaked|disabled|already used|does not|first|again|please|error",
      ),
    },
    class: 'auth',
    reason: 'bad_credentials',
    proof: [{ message: "You didn't provide an API key" }],
  },
  {
    id: 'broad-permission',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'permissions?|admin(?:istrator)?(?: rights)?|scopes?|roles?|privileges?|licen[cs]es?|seats?|subscriptions?|organi[sz]ations?|enterprise|accounts?|polic(?:y|ies)|SAML|SSO|member|entitlements?|access|API',
        'denied|not (?:assigned|have|allowed|enabled|granted|available|eligible|authori[sz]ed|permitted|(?:yet )?been (?:used|assigned|granted|enabled)|included|a member)|does(?:n.t| not)|lacks?|missing|required|requires?|must (?:be|have|grant)|disabled|expired|inactive|restrict(?:s|ed|ion)|verified|suspended|blocked|forbidden|enforcement|ineligible|prohibits?|eligible|permission',
      ),
    },
    class: 'auth',
    reason: 'not_authorised',
    proof: [
      { message: 'Your Copilot subscription has expired or is inactive' },
      { message: 'The caller does not have permission' },
    ],
  },
  {
    id: 'broad-model',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'models?',
        'not (?:found|exist|available|supported|enabled|accessible|recogni[sz]ed|valid)|unknown|invalid|no (?:such|access)|deprecated|retired|unsupported|does not|doesn.t|removed|decommissioned',
      ),
    },
    class: 'tooling',
    reason: 'model_not_found',
    proof: [{ message: 'Invalid choice of model' }],
  },
] as const satisfies readonly Rule[];
