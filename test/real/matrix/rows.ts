// What a wrapper has to make of each scenario, tool by tool: the table that the benchmark prints and the test asserts.

import type { ErrorClass } from '../../../policies/facts/classes.ts';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import type { RouteName } from '../routes.ts';
import { CLAUDE_ROWS } from './claude-rows.ts';
import { PLAIN_ROWS } from './plain-rows.ts';
import { SPECIAL_ROWS } from './special-rows.ts';

export type PerTool<T> = T | Record<BuiltIn, T>;

export type CatalogueCli = 'opencode' | 'qwen';

/** A row as it is written down; a value stands for all tools, or for each its own. */
export interface MatrixRow {
  name: string;
  /** A scenario of the model API; the row's name unless told. */
  scenario?: string;
  /** null is a success, whose answer must be the scenario's, whole. */
  class: PerTool<ErrorClass | null>;
  /** Which of the wrapper's exit codes; `ok` or `failure` by the class unless told. */
  exit?: PerTool<ExitKind>;
  /** At most so many requests may ask the model. */
  requests: PerTool<number>;
  /** The answer is told in so many pieces, each the whole text: a CLI asked the model to go on. */
  pieces?: PerTool<number>;
  setup?: Setup;
  /** Only these tools can be brought into this state. */
  tools?: readonly BuiltIn[];
  /**
   * The test suite makes the call with these CLIs alone; unless told, with each. Every other one treats the failure as that of
   * another row. Of a built-in one test/captures holds what it prints, with the same class; the benchmark makes every call of
   * those. One CLI of the catalogue at least makes each row.
   */
  suite?: readonly (BuiltIn | CatalogueCli)[];
  /** A wait is part of the scenario, so its seconds count for nothing. */
  deadline?: 'involved';
}

export type ExitKind = 'ok' | 'failure' | 'timeout' | 'missingBinary' | 'badInput' | 'geminiInput' | 'terminated';

/** How the world differs from a healthy one. */
export interface Setup {
  route?: RouteName;
  prompt?: string | 'no file';
  address?: 'refused' | 'unknown host';
  credentials?: 'missing';
  binary?: 'missing';
  trust?: 'none';
  flags?: string[];
  /** Files of the home folder. */
  home?: Record<string, string>;
  /** The scenarios of the first requests, in their order; then it is the row's. */
  script?: string[];
  /** A limit in milliseconds. A slow machine gets twice as much until the model is requested within it. */
  limit?: { flag: '--timeout-ms' | '--idle-timeout-ms'; ms: number };
  /** The wrapper gets SIGTERM once the model was requested. */
  terminated?: true;
  /** The session of an earlier call of the same scenario is resumed; its requests count too. */
  resumed?: true;
}

/** One call to be made. */
export interface MatrixCall {
  name: string;
  tool: BuiltIn;
  scenario: string;
  setup: Setup;
  expected: { class: ErrorClass | null; exit: ExitKind; requests: number; pieces: number };
  deadline: 'none' | 'involved';
  /** The node_modules with the CLI; the pinned ones unless told. */
  clis?: string;
}

export const matrixRows: readonly MatrixRow[] = [...PLAIN_ROWS, ...SPECIAL_ROWS, ...CLAUDE_ROWS];

export const isInSuite = ({ suite }: MatrixRow, cli: BuiltIn | CatalogueCli): boolean => suite?.includes(cli) ?? true;

/** The calls of a row for each tool that it is about. */
export function callsOf(row: MatrixRow, tools: readonly BuiltIn[]): MatrixCall[] {
  return tools
    .filter((tool) => row.tools?.includes(tool) ?? true)
    .map((tool) => {
      const errorClass = pick(row.class, tool);
      const exit = row.exit === undefined ? (errorClass === null ? 'ok' : 'failure') : pick(row.exit, tool);
      return {
        name: row.name,
        tool,
        scenario: row.scenario ?? row.name,
        setup: row.setup ?? {},
        expected: { class: errorClass, exit, requests: pick(row.requests, tool), pieces: pick(row.pieces ?? 1, tool) },
        deadline: row.deadline ?? 'none',
      };
    });
}

function pick<T>(value: PerTool<T>, tool: BuiltIn): T {
  return typeof value === 'object' && value !== null ? (value as Record<BuiltIn, T>)[tool] : (value as T);
}
