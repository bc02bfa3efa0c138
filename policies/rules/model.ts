// The model, or whatever else was asked for, does not exist there.

import { REFUSED, type Rule } from '../rule/rule.ts';

export const MODEL_RULES = [
  {
    // Told with 402, though no payment opens it again.
    id: 'model-no-workspace',
    tool: 'any',
    source: 'any',
    match: { code: ['deactivated_workspace'] },
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'Payment Required', status: 402, code: 'deactivated_workspace' }],
  },
  {
    // OpenAI calls a model that a project may not use `model_not_found` too.
    id: 'model-no-access',
    tool: 'any',
    source: 'any',
    match: {
      status: REFUSED,
      needs: ['have access to', 'must be verified', 'access to this model'],
      text: /\bdo(?:es)? not have access to (?:the |this )?model\b|\borgani[sz]ation must be verified\b|\baccess to this model is not enabled\b/i,
    },
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'Project `p` does not have access to model `m`', status: 403, code: 'model_not_found' }],
  },
  {
    id: 'model-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'model_not_found',
        'ModelNotFoundError',
        'model_not_supported',
        'model_not_available_for_integrator',
        'invalid_model',
        'unsupported_model',
      ],
    },
    class: 'tooling',
    reason: 'model_not_found',
    proof: [
      {
        message: 'The model `nope` does not exist or you do not have access to it.',
        status: 404,
        code: 'model_not_found',
      },
    ],
  },
  {
    id: 'model-words',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none', 400, 403, 404, 410, 422],
      needs: ['model'],
      text: /\bmodels?\b[\s/:'"`]{0,3}\S{0,80} (?:is |was )?(?:not found|does not exist|not (?:supported|available|enabled)|has been (?:retired|deprecated|removed|shut down))|\b(?:unknown|invalid|unsupported) model\b|\bno such model\b|\bnot a valid model\b|\bissue with the selected model\b/i,
    },
    class: 'tooling',
    reason: 'model_not_found',
    proof: [
      {
        message: 'models/nope is not found for API version v1beta, or is not supported for generateContent.',
        status: 404,
      },
    ],
  },
] as const satisfies readonly Rule[];
