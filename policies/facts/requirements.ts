// Defines what a caller requires of a call beside an answer: MCP servers that work, tools that are not denied, a JSON Schema.

import { firstNames, printable } from '../text/display.ts';
import type { EngineFailure, ServerState } from './engine-event.ts';

export interface ServerReport {
  /** null: the CLI reports that one failed, and does not name it. */
  name: string | null;
  state: ServerState;
  why: string | null;
  /** Whether the CLI reported that it knows the server's tools; absent if it does not report that. */
  tools?: 'awaited' | 'known';
}

/** A tool that the agent called and that the CLI's permissions or sandbox blocked. */
export interface Denial {
  tool: string;
  /** The permission that would allow it, in the syntax of that CLI; null if there is none or it is not known. */
  rule: string | null;
  /** The user's own hook or rule that blocked it, so that no permission of a call allows it: `a hook: its reason`. */
  by?: string;
}

export interface Requirements {
  /** Names of MCP servers; `all`: every one that the CLI reports. */
  servers: 'all' | readonly string[];
  denied: 'note' | 'fail';
  /** The JSON Schema that the answer must fit; absent for an answer of any form. */
  schema?: Readonly<Record<string, unknown>>;
}

export const NO_REQUIREMENTS: Requirements = { servers: [], denied: 'note' };

/** Reads a list of names; the name `all` means every server. */
export const requirementsOf = (servers: readonly string[], denied: Requirements['denied']): Requirements => ({
  servers: servers.includes('all') ? 'all' : servers,
  denied,
});

/** The codes of the two failures below. They determine the verdict, whatever else was reported. */
export const SERVER_REQUIRED = 'mcp_server_required';
export const DENIAL_REFUSED = 'tool_denied';

interface Seen {
  servers: readonly ServerReport[];
  /** Every server of the call has been named: one that is missing is not configured. */
  listed: boolean;
  /** The first request to the model was made: a pending server is too late. */
  begun: boolean;
  denials: readonly Denial[];
}

/** Why the call does not meet the caller's requirements, as far as known; null if it still may. */
export function unmetIn({ servers, denied }: Requirements, seen: Seen): EngineFailure | null {
  const lacking = servers === 'all' ? seen.servers.filter((one) => lacks(one, seen)) : servers.flatMap(lackOf(seen));
  if (lacking.length > 0)
    return { message: lacking.map((one) => `required ${serverWords(one)}`).join('; '), code: SERVER_REQUIRED };
  if (denied === 'note' || seen.denials.length === 0) return null;
  const [first] = seen.denials;
  return { message: denialWords(first!), code: DENIAL_REFUSED };
}

const lackOf =
  (seen: Seen) =>
  (name: string): ServerReport[] => {
    const found = seen.servers.find((one) => one.name !== null && isSameServer(one.name, name));
    if (found !== undefined) return lacks(found, seen) || found.state === 'disabled' ? [found] : [];
    return seen.listed ? [{ name, state: 'disabled', why: 'it is not configured' }] : [];
  };

const lacks = ({ state }: ServerReport, { begun }: Seen): boolean =>
  state === 'pending' ? begun : state !== 'connected' && state !== 'disabled';

/** In tool names a CLI replaces the characters of a server's name that are neither letters nor digits. */
export const isSameServer = (one: string, other: string): boolean => one === other || plain(one) === plain(other);

const plain = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_');

const STATE_WORDS = {
  connected: 'is connected',
  pending: 'was not connected when the first request was made',
  failed: 'failed',
  needs_auth: 'needs a sign-in',
  disconnected: 'ended during the call',
  disabled: 'is not enabled',
} as const satisfies Record<ServerState, string>;

export function serverWords({ name, state, why }: ServerReport): string {
  const which = name === null ? 'an MCP server (the CLI does not name it)' : `MCP server "${name}"`;
  return `${which} ${STATE_WORDS[state]}${why === null ? '' : `: ${why.replace(/\s+/g, ' ').slice(0, MAX_WHY)}`}`;
}

const MAX_WHY = 300;

/** The servers that the agent worked without; one that the user disabled does not count. */
export const lackingServers = (servers: readonly ServerReport[]): ServerReport[] =>
  servers.filter(({ state }) => state !== 'connected' && state !== 'disabled');

/** What an answer lacks if the CLI ends the tools and the sub-agents that still work. */
export function unfinishedWork(
  agents: ReadonlyMap<string, string>,
  running: ReadonlyMap<string, { name: string }>,
): string[] {
  const count = (state: string) => [...agents.values()].filter((one) => one === state).length;
  const tools = [...new Set([...running.values()].map(({ name }) => name))];
  return [
    ...(count('working') > 0 ? [`sub-agents that had not finished at the end of the run: ${count('working')}`] : []),
    ...(count('failed') > 0 ? [`sub-agents that failed: ${count('failed')}`] : []),
    ...(tools.length > 0 ? [`tools that had not finished at the end of the run: ${tools.join(', ')}`] : []),
  ];
}

export const uncountedAgents = (count: number): string =>
  `the requests and tokens of ${count} sub-agent${count === 1 ? '' : 's'} are not counted: the call had too many`;

/** Warnings of a record that the caller sees directly: what the answer lacks, or what had no effect. Others are notes. */
export const lackOfServer = (one: ServerReport): string => `${serverWords(one)}; the agent worked without it`;
export const lackOfServers = (file: string, why: string): string =>
  `the MCP servers of ${file} did not start, since it ${why}; the agent worked without them`;
export const lackOfTool = ({ tool, by }: Denial, way: string | null): string =>
  `${denialWords({ tool, by })}${way === null ? '' : `; to allow it: ${way}`}`;

const denialWords = ({ tool, by }: { tool: string; by?: string | undefined }): string =>
  `the tool ${tool} was denied${by === undefined ? '' : ` by ${by}`}`;

/** @param reason the hook's own words, or how it ended. */
export const byHook = (reason: string): { by: string } => ({
  by: `a hook: ${reason.replace(/\s+/g, ' ').trim().slice(0, MAX_WHY)}`,
});

export const noHooks = (folder: string): string =>
  `the hooks in ${folder} did not run: the CLI uses those of a folder only with write or full access`;
export const reportedBy = (tool: string, message: string): string => `${tool} reported: ${message}`;
export const otherSession = (wanted: string, used: string): string =>
  `session ${wanted} was requested, but the CLI continued in ${used}`;
/** Whether the answer is whole, and only the session is another one. */
export const isOtherSession = (lack: string): boolean => OTHER_SESSION.test(lack);
const OTHER_SESSION = /^session \S+ was requested, but the CLI continued in /;
export const isLack = (warning: string): boolean => LACKS.some((lack) => lack.test(warning));

const LACKS = [
  /^(?:an |the )?MCP servers? .*; the agent worked without (?:it|them)$/s,
  /^the tool \S+ was denied(?:;| by |$)/,
  /^(?:sub-agents|tools) that (?:had not finished|failed)\b/,
  /^the requests and tokens of \d+ sub-agents? are not counted\b/,
  // A model without metadata answers like others.
  /^[\w.-]+ reported: (?!Model metadata for )/,
  OTHER_SESSION,
  /`--[\w-]+` has no effect\b/,
  / and is not included$/,
  /^the hooks in .* did not run: /s,
  /^no request is recorded /,
];

/** What tasks that are done lack, a line for each text: `Warning: fix, add: worker: the tool Bash was denied`. */
export function lackLines(tasks: readonly { task_id: string; lacks: readonly string[] }[], most: number): string[] {
  const ids = new Map<string, string[]>();
  for (const { task_id, lacks } of tasks) for (const lack of lacks) ids.set(lack, [...(ids.get(lack) ?? []), task_id]);
  const lines = [...ids].map(
    ([lack, names]) => `Warning: ${firstNames(names, MOST_NAMED)}: ${printable(lack, MAX_LACK)}`,
  );
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `Warning: and ${more} more`] : lines;
}

const MOST_NAMED = 5;
const MAX_LACK = 400;

/** Translates a CLI's own word for the state of a server. */
export function serverState(word: string | null): ServerState {
  const known = word?.toLowerCase().replaceAll('-', '_') ?? '';
  if (known === 'connected' || known === 'ready') return 'connected';
  if (/^(?:pending|connecting|starting|initiali[sz]ing)$/.test(known)) return 'pending';
  if (/^(?:needs_auth|unauthenticated|not_authenticated|auth_required|needs_login)$/.test(known)) return 'needs_auth';
  if (/^(?:disabled|not_configured|blocked|excluded)$/.test(known)) return 'disabled';
  if (/^(?:disconnected|closed|stopped)$/.test(known)) return 'disconnected';
  return 'failed';
}

/** The words of a tool's failed result that show that its server is gone, for the event. Without them the server responded. */
export const goneIn = (said: string | null): { gone?: string } =>
  said !== null && GONE.test(said) ? { gone: said.slice(0, MAX_WHY) } : {};

const GONE =
  /\bconnection (?:was )?(?:closed|lost|reset)\b|\btransport (?:is |was )?closed\b|\bnot connected\b|\bdisconnected\b|\bECONNRE(?:SET|FUSED)\b|\bEPIPE\b|\bbroken pipe\b|\bserver (?:process )?(?:has )?(?:exited|died|crashed)\b|\bMCP error -3200[01]\b|\b(?:request|tool call|call) timed out\b/i;
