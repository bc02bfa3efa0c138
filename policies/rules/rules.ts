// Lists all rules, in the order in which they are tried.

import { ACCESS_RULES } from './access.ts';
import { ANSWER_RULES, CONTENT_RULES } from './answer.ts';
import { BROAD_RULES } from './broad.ts';
import { STOP_RULES } from './endings.ts';
import { EXIT_RULES } from './exit.ts';
import { HISTORY_FORM_RULES, HISTORY_RULES } from './history.ts';
import { LANGUAGE_MACHINE_RULES, LANGUAGE_RULES } from './languages.ts';
import { MACHINE_RULES } from './machine.ts';
import { MCP_RULES } from './mcp.ts';
import { MODEL_RULES } from './model.ts';
import { QUOTA_RULES } from './quota.ts';
import { type Rule, type RuleRow, ruleOf } from './rule.ts';
import { NETWORK_RULES, SERVICE_RULES, STATUS_RULES } from './service.ts';
import { SETUP_RULES } from './setup.ts';
import { SIZE_RULES } from './size.ts';

/** A gRPC status without any other text. These rules come last, because any other text is more informative. */
const UNSAID = ['none'] as const;

const GRPC_RULES = [
  {
    id: 'grpc-refused',
    status: UNSAID,
    code: ['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'ALREADY_EXISTS', 'UNIMPLEMENTED'],
    class: 'tooling',
    reason: 'bad_request',
    proof: [{ message: '3 INVALID_ARGUMENT: ' }],
  },
  {
    id: 'grpc-not-found',
    status: UNSAID,
    code: ['NOT_FOUND'],
    class: 'tooling',
    reason: 'not_found',
    proof: [{ message: '5 NOT_FOUND: ' }],
  },
  {
    id: 'grpc-cancelled',
    status: UNSAID,
    code: ['CANCELLED'],
    class: 'transient',
    reason: 'server_error',
    proof: [{ message: '1 CANCELLED: ' }],
  },
] as const satisfies readonly RuleRow[];

/** More specific first: the first match decides, and no row may be shadowed by another. */
const SPECIFIC = [
  ...MCP_RULES,
  ...HISTORY_RULES,
  ...STOP_RULES,
  ...CONTENT_RULES,
  ...SIZE_RULES,
  ...MODEL_RULES,
  ...HISTORY_FORM_RULES,
  ...SETUP_RULES,
  ...QUOTA_RULES,
  ...LANGUAGE_RULES,
  ...ACCESS_RULES,
  ...MACHINE_RULES,
  ...LANGUAGE_MACHINE_RULES,
  ...ANSWER_RULES,
  ...SERVICE_RULES,
  ...NETWORK_RULES,
  ...STATUS_RULES,
] as const;

/** Tried only if no specific row matches any message: things, and nearby statements about them; last a code alone. */
const BROAD = [...BROAD_RULES, ...GRPC_RULES] as const;

/** Each tier is tried on all messages before the next one. */
export const TIERS: readonly (readonly Rule[])[] = [SPECIFIC, BROAD, EXIT_RULES].map((rows) => rows.map(ruleOf));

/** Whether the row matches by words near each other, or by a code alone. */
export const isBroad = (id: string): boolean => BROAD.some((row) => row.id === id);

/** All rows with their literal types, for tables that must have a line for each row. */
export const ALL_RULES = [...SPECIFIC, ...BROAD, ...EXIT_RULES] as const;

export const RULES: readonly Rule[] = TIERS.flat();
