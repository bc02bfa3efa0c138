// Lists what a user or an agent does next after a call has failed.

import type { ErrorClass } from '../facts/classes.ts';
import { inOrder, type NextAction, toDecide, toDo, toType } from '../facts/next-action.ts';
import { type BuiltIn, rowOf } from '../facts/tools.ts';
import { serversIn } from '../rules/mcp.ts';
import type { CallReason } from '../verdict/reasons.ts';
import { BUDGET_ACTIONS, KEY_ACTIONS } from './account-actions.ts';
import { MACHINE_ACTIONS } from './machine-actions.ts';
import { REQUEST_ACTIONS, SESSION_ACTIONS } from './request-actions.ts';
import {
  later,
  preflight,
  raiseBudget,
  readFirst,
  rerun,
  type Situation,
  thenRerun,
  type WayOut,
} from './situation.ts';
import { TEMPORARY_ACTIONS } from './temporary-actions.ts';

/** Where a failed MCP server is configured, for each CLI. */
const SETTINGS = {
  gemini: () => '`mcpServers` in ~/.gemini/settings.json or .gemini/settings.json of the project',
  copilot: () =>
    '`mcpServers` in ~/.copilot/mcp-config.json, or .mcp.json of the project, which needs `--trust-workspace`',
  codex: (name) => `\`[mcp_servers.${name}]\` in ~/.codex/config.toml`,
  claude: () => '`mcpServers` in ~/.claude.json or .mcp.json of the project',
} as const satisfies Record<BuiltIn, (name: string) => string>;

const SIGN_IN = {
  gemini: (name) => `start \`gemini\` and type /mcp auth ${name}`,
  copilot: (name) => `start \`copilot\` and type /mcp show ${name}`,
  codex: (name) => `start \`codex mcp login ${name}\``,
  claude: (name) => `start \`claude\` and type /mcp to sign in to ${name}`,
} as const satisfies Record<BuiltIn, (name: string) => string>;

const fixServer: WayOut = (situation) => {
  const { tool, verdict } = situation;
  const names = serversIn(verdict.evidence?.text ?? '');
  const [name] = names;
  if (verdict.class === 'auth') {
    const how =
      name === undefined
        ? `sign in to the MCP server that the evidence names, in ${tool}`
        : rowOf(SIGN_IN, tool, () => `sign in to the server ${name} in ${tool}`)(name);
    return [toDo(`${how} (the server asks for it, not the model)`), thenRerun(situation)];
  }
  const which =
    names.length === 0 ? 'the MCP server' : `the MCP ${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`;
  const where = rowOf(SETTINGS, tool, () => `in the settings of ${tool}`)(name ?? '…');
  return [...readFirst(situation), toDo(`fix or remove ${which}: ${where}`), thenRerun(situation)];
};

const SERVER_ACTIONS = { mcp_server: fixServer } as const satisfies Record<string, WayOut>;

/** Never empty for a failure. */
export function nextActions(situation: Situation): NextAction[] {
  const { class: errorClass, reason } = situation.verdict;
  if (errorClass === null) return [];
  const wayOut = isKnown(reason) ? BY_REASON[reason](situation) : BY_CLASS[errorClass](situation);
  if (reason === 'budget') return wayOut;
  return situation.callsLeft === 0 ? [NO_CALLS, raiseBudget(situation), ...wayOut] : inOrder(wayOut);
}

/** Every line that calls again would be refused. */
const NO_CALLS = toDecide('this task may pay for more calls: none remains, and each line that asks again needs one');

const isKnown = (reason: string | null): reason is CallReason => reason !== null && Object.hasOwn(BY_REASON, reason);

/** For an unknown failure, the output is the only information. */
const unmatched: WayOut = (situation) => [
  ...(situation.stderrFile
    ? [toDo(`read ${situation.stderrFile}, the whole of what ${situation.tool} said on stderr`)]
    : []),
  ...(situation.eventsFile ? [toDo(`read ${situation.eventsFile}, the events of the call`)] : []),
  rerun(
    situation,
    `${situation.verdict.evidence?.source === 'exit_code' ? 'find out why it ended so' : 'fix what the evidence names, if anything'}, then call ${situation.tool} again`,
  ),
  toType(
    'to classify it next time, add a rule for its text to tollgate.yaml; see',
    `${situation.called.launcher} triage --help`,
  ),
];

/** For reasons that only a project's own rows define. */
const BY_CLASS = {
  transient: (situation) => [later(situation)],
  prompt_too_large: REQUEST_ACTIONS.over_limit,
  auth: KEY_ACTIONS.bad_credentials,
  quota: BUDGET_ACTIONS.plan,
  tooling: (situation) => [preflight(situation), rerun(situation)],
  scope_violation: () => [toDo('review `scope.deny` in the manifest, and the changes named above')],
  contract_violation: (situation) => [
    toDo('fix the prompt, or split the task into smaller ones'),
    thenRerun(situation),
  ],
  unknown: unmatched,
} as const satisfies Record<ErrorClass, WayOut>;

const BY_REASON: Record<CallReason, WayOut> = {
  ...TEMPORARY_ACTIONS,
  ...KEY_ACTIONS,
  ...BUDGET_ACTIONS,
  ...REQUEST_ACTIONS,
  ...SERVER_ACTIONS,
  ...SESSION_ACTIONS,
  ...MACHINE_ACTIONS,
  unmatched,
};
