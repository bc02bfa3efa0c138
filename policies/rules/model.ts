// Defines the rules for a model, or another requested thing, that does not exist at the service.

import { REFUSED, type RuleRow } from './rule.ts';

export const MODEL_RULES = [
  {
    // Reported with 402, although no payment reactivates it.
    id: 'model-no-workspace',
    code: ['deactivated_workspace'],
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'Payment Required', status: 402, code: 'deactivated_workspace' }],
  },
  {
    // OpenAI also reports `model_not_found` for a model that a project may not use.
    id: 'model-no-access',
    status: REFUSED,
    needs: [
      'have access to',
      'must be verified',
      'access to this model',
      'access model',
      'allowed to',
      'use case details',
    ],
    text: /\bdo(?:es)? not have access to (?:the |this )?model\b|\borgani[sz]ation must be verified\b|\baccess to this model is not enabled\b|\bnot allowed to (?:access|use)\b[^\n]{0,30}\bmodel\b|\buse case details have not been submitted\b/i,
    class: 'auth',
    reason: 'not_authorised',
    proof: [
      { message: 'Project `p` does not have access to model `m`', status: 403, code: 'model_not_found' },
      { message: 'Model use case details have not been submitted for this account.', status: 404 },
      { message: 'key not allowed to access model. This key can only access other models.', status: 401 },
    ],
  },
  {
    id: 'model-code',
    code: [
      'model_not_found',
      'ModelNotFoundError',
      'model_not_supported',
      'model_not_available_for_integrator',
      'invalid_model',
      'unsupported_model',
      'model_decommissioned',
      'ModelDeprecated',
      'ModelNotOpen',
      'DeploymentNotFound',
      'provider_not_found',
    ],
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
    id: 'model-retired',
    status: ['none', 400, 403, 404, 410, 422],
    needs: [
      'end of ',
      'as legacy',
      'shut down',
      'no longer',
      'retired',
      'deprecated',
      'discontinued',
      'decommissioned',
      'sunset',
    ],
    text: /\bend of (?:its |it's )?life\b|\bmarked by provider as legacy\b|^(?=[\s\S]*\b(?:models?|deployments?|gpt-|claude-|gemini-|o\d-))[\s\S]*\b(?:has been|have been|is|are|was|were) (?:now )?(?:retired|deprecated|discontinued|decommissioned|sunset|shut down|no longer (?:available|supported|offered))(?! (?:by|parameter))\b/i,
    class: 'tooling',
    reason: 'model_not_found',
    proof: [
      { message: "The model 'm' has reached its end of life. Please migrate to a newer model.", status: 404 },
      { message: 'models/m is no longer available.', status: 404 },
    ],
  },
  {
    // For Bedrock, Azure and relays, which offer models under their own names.
    id: 'model-offered',
    status: ['none', 400, 403, 404, 422, 503],
    needs: ['throughput', 'deployment', 'model', 'endpoints'],
    text: /\bon-demand throughput\b|\bmodel identifier is invalid\b|\bdeployment\b.{0,60}\b(?:does not exist|not found)|\bno (?:allowed )?endpoints (?:found|available) (?:for|matching|that support)\b|\bno available channel for model\b|\bnot found the model\b|\bunknown provider for model\b|\bnot activated the model\b/i,
    class: 'tooling',
    reason: 'model_not_found',
    proof: [
      {
        message: "Invocation of model ID m with on-demand throughput isn't supported.",
        status: 400,
      },
      { message: 'The API deployment for this resource does not exist.', status: 404 },
    ],
  },
  {
    id: 'model-words',
    status: ['none', 400, 403, 404, 410, 422],
    needs: ['model'],
    text: /\bmodels?\b[\s/:'"`]{0,3}\S{0,80} (?:is |was )?(?:not found|(?:does )?not exist|not (?:supported|available|enabled)|has been (?:retired|deprecated|removed|shut down))|\bno supported models?\b|\bno models? (?:is |are )?loaded\b|\b(?:unknown|invalid|unsupported) model\b|\bno such model\b|\bnot a valid model\b|\bissue with the selected model\b/i,
    class: 'tooling',
    reason: 'model_not_found',
    proof: [
      {
        message: 'models/nope is not found for API version v1beta, or is not supported for generateContent.',
        status: 404,
      },
    ],
  },
] as const satisfies readonly RuleRow[];
