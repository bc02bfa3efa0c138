// Defines the rules for a CLI that stopped itself before it had an answer.

import type { Rule } from './rule.ts';

export const STOP_RULES = [
  {
    id: 'stop-max-turns',
    tool: 'any',
    source: 'any',
    match: { needs: ['turns'], text: /\bmax(?:imum)? (?:number of )?(?:session )?turns\b/i },
    // Another paid call with the same number of turns would end the same way.
    class: 'contract_violation',
    reason: 'max_turns',
    proof: [
      {
        message:
          'Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.',
        type: 'FatalTurnLimitedError',
      },
    ],
  },
  {
    id: 'stop-hook',
    tool: 'gemini',
    source: 'any',
    match: { text: /^agent execution (?:stopped|blocked)/i },
    class: 'tooling',
    reason: 'hook_stopped',
    proof: [{ message: 'Agent execution blocked: no network today' }],
  },
  {
    id: 'stop-hook-code',
    tool: 'claude',
    source: 'any',
    match: { code: ['hook_stopped'] },
    class: 'tooling',
    reason: 'hook_stopped',
    proof: [{ message: 'UserPromptSubmit operation blocked by hook:\n[lint]: no', code: 'hook_stopped' }],
  },
  {
    id: 'stop-hook-tool',
    tool: 'gemini',
    source: 'any',
    match: { code: ['stop_execution'] },
    class: 'tooling',
    reason: 'hook_stopped',
    proof: [{ message: 'enough for today', type: 'stop_execution' }],
  },
  {
    id: 'stop-loop',
    tool: 'any',
    source: 'any',
    match: { text: /^loop detected/i },
    class: 'transient',
    reason: 'loop',
    proof: [{ message: 'Loop detected, stopping execution' }],
  },
  {
    id: 'stop-interrupted',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      needs: ['interrupted', 'aborted', 'cancelled', 'canceled', 'exiting'],
      text: /\bturn (?:was )?(?:interrupted|aborted)\b(?!\. Something went wrong)|\binterrupted \(ctrl-c\)|\boperation (?:was )?cancell?ed\b|\bcancell?ed by (?:the )?user|\boperation was aborted|^exiting…/i,
    },
    class: 'transient',
    reason: 'interrupted',
    proof: [{ message: 'turn interrupted' }],
  },
] as const satisfies readonly Rule[];
