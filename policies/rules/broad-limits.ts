// Defines broad rules, in unforeseen wordings, for spent budgets, prompts that are too large, and refused content.

import { near } from './near.ts';
import type { Rule } from './rule.ts';

const UNSAID = ['none'] as const;

export const BROAD_LIMITS = [
  {
    id: 'broad-budget',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'quotas?|budgets?|allowance|credits?|prepa(?:id|yment)s?|billing|payments?|invoices?|balance|spend(?:ing)?|free (?:tier|plan)|premium (?:requests?|interactions?)|usage limits?|plan limits?',
        'reached|exceed(?:s|ed)?|exhausted|depleted|used up|used all|runs? out|ran out|out of|no (?:more|remaining)|insufficient|consumed|spent|overdue|past due|declined|unpaid|failed|inactive|not active|check|top up|add more|0 left|none left|too low|zero',
      ),
    },
    class: 'quota',
    reason: 'plan',
    proof: [{ message: 'The balance of this workspace is too low' }],
  },
  {
    id: 'broad-size',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'context|prompt|inputs?|tokens|history|conversation|payload|messages|attachments?',
        'too (?:long|large|big|many|much)|exceed(?:s|ed|ing)?|overflow(?:s|ed)?|(?:larger|longer|more|bigger) than|no longer fits?|(?:does not|doesn.t|cannot|won.t) fit|over the|limit is|above the',
      ),
    },
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [
      { message: "messages resulted in 150000 tokens, model's limit is 128000" },
      { message: 'Failed to compact the conversation: it no longer fits' },
    ],
  },
  {
    id: 'broad-content',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'content|prompt|request|response|output|message',
        'flagged|filtered|moderat(?:ed|ion)|harmful|unsafe|inappropriate|prohibited|violat(?:es|ed|ing|ion)|sensitive|safety',
      ),
    },
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [{ message: 'The response was withheld by moderation' }],
  },
] as const satisfies readonly Rule[];
