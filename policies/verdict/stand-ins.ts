// Defines when a fallback is called instead of a tool or a model that cannot answer now.

import type { Verdict } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';

/** As `fallback_on` of a stage names them. */
export const STAND_IN_CAUSES = ['quota', 'overloaded', 'model_not_found', 'auth'] as const;

type StandInCause = (typeof STAND_IN_CAUSES)[number];

/** The default for a stage. */
export const STANDS_IN_FOR: readonly StandInCause[] = ['quota'];

/** Our own budget of the task is the same for every tool. */
export function causeOf({ class: errorClass, reason }: Verdict): StandInCause | null {
  if (errorClass === 'quota') return reason === 'budget' ? null : 'quota';
  if (errorClass === 'auth') return 'auth';
  if (errorClass === 'transient' && reason === 'overloaded') return 'overloaded';
  return errorClass === 'tooling' && reason === 'model_not_found' ? 'model_not_found' : null;
}

interface Engine {
  tool: Tool;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string | undefined;
  /** null: the CLI's own choice. */
  model: string | null;
}

/** The tool that was called, the one that it replaced, and why. */
export interface StandIn extends Engine {
  in_place_of: Engine;
  reason: string | null;
}

export const standInWords = ({ in_place_of, reason, ...engine }: StandIn): string =>
  `${engineWords(engine)} was asked in place of ${engineWords(in_place_of)}${reason === null ? '' : ` (${reason})`}`;

/** Follows the name of the tool that was called: its account, and what it replaced; '' if neither is named. */
export const inPlaceWords = ([first, ...more]: readonly StandIn[], account?: string): string =>
  first === undefined
    ? loginWords({ account, model: null })
    : `${loginWords(more.at(-1) ?? first)} for ${engineWords(first.in_place_of)}`;

/** For users: the tool with its account and its model, as far as they are named. */
export const engineWords = (engine: Engine): string => `${engine.tool}${loginWords(engine)}`;

const loginWords = ({ account, model }: Omit<Engine, 'tool'>): string =>
  `${account === undefined ? '' : ` (account ${account})`}${model === null ? '' : ` with ${model}`}`;
