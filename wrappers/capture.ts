// Collects what a call reported: the answer, how it ended, and what went wrong during it.

import { createAnswer } from '../policies/facts/answer-text.ts';
import {
  addedUsage,
  createTurns,
  type EngineEvent,
  type EngineFailure,
  type RequestUsage,
  UNKNOWN_USAGE,
  type Usage,
} from '../policies/facts/engine-event.ts';
import {
  type Denial,
  isSameServer,
  lackingServers,
  NO_REQUIREMENTS,
  type Requirements,
  type ServerReport,
  uncountedAgents,
  unfinishedWork,
  unmetIn,
} from '../policies/facts/requirements.ts';
import { cut } from '../policies/text/display.ts';
import { MOST_AGENTS } from './following/usage-log.ts';

export interface Capture {
  sessionId: string | null;
  model: string | null;
  /** Exactly the assistant's text after the last tool result. A blank line separates messages. */
  answer: string;
  completed: boolean;
  failure: EngineFailure | null;
  /** The last error events that were not terminal, oldest first. */
  errors: EngineFailure[];
  /** The cause of the last retry that the CLI announced. */
  retrying: EngineFailure | null;
  retries: number;
  /** Each once. */
  denials: Denial[];
  /** MCP servers, as far as the CLI reports them. */
  servers: ServerReport[];
  warnings: string[];
  /** What Tollgate concludes from the events. */
  inferred: string[];
  turns: number | null;
  /** How many tools were called. */
  tools: number;
  /** What the caller requires and the call lacks. Such a call is not a success. */
  unmet: EngineFailure | null;
  usage: Usage;
  /** What each finished request used, as far as it was reported while the call ran. */
  requests: readonly RequestUsage[];
}

interface CaptureBuilder {
  /** @param from where the event was reported: the stream shows when an answer starts again, stderr does not. */
  add(event: EngineEvent, from?: 'stream' | 'stderr'): void;
  result(): Capture;
  /** Of `result` this alone. */
  unmet(): EngineFailure | null;
}

/**
 * Beside the answer it takes constant memory, and `result` may be called at any time.
 * @param requires of the call; without it nothing.
 * @param maxAnswer characters of an answer; a longer one is a failure.
 * @param listsTools whether the CLI reports when it knows the tools of a server.
 */
export function createCapture(
  requires: Requirements = NO_REQUIREMENTS,
  maxAnswer?: number,
  listsTools = false,
): CaptureBuilder {
  const answer = createAnswer(maxAnswer);
  const turns = createTurns();
  const running = new Map<string, Running>();
  /** The tools that sub-agents use. */
  const ofAgents = new Map<string, Running>();
  const agents = new Map<string, 'working' | 'done' | 'failed'>();
  let hasEndedTools = false;
  const denied = new Set<string>();
  const servers = new Map<string | null, ServerReport>();
  /** Their last state was reported. */
  const settled = new Set<string | null>();
  const seen = { listed: false, begun: false };
  const captured: Omit<Capture, 'answer' | 'inferred' | 'turns' | 'usage' | 'requests' | 'servers' | 'unmet'> = {
    sessionId: null,
    model: null,
    completed: false,
    failure: null,
    errors: [],
    retrying: null,
    retries: 0,
    denials: [],
    warnings: [],
    tools: 0,
  };
  let usage: Usage = UNKNOWN_USAGE;
  const spent = new Map<string, RequestUsage>();
  /** A count has an unknown cost, so the known cost of the rest is not the whole cost. */
  let unpriced = false;
  let requests = 0;
  let stopped: EngineFailure | null = null;
  let missed: EngineFailure | null = null;
  let blocked = 0;
  let announced = false;
  let signInPrompt: EngineFailure | null = null;
  let cutShort: string | null = null;

  /** Denials that only a log reports. The log does not name the tool use. */
  const logged: Denial[] = [];
  const deny = (id: string, denial: Denial) => {
    const isSame = ({ tool, rule }: Denial) => tool === denial.tool && rule === denial.rule;
    // Several events may report one denial, and a later one may know the rule, or what of the user's caused it.
    if (id !== '' && denied.has(id)) {
      if (denial.by !== undefined) captured.denials = captured.denials.map((one) => (isSame(one) ? denial : one));
      return;
    }
    if (id !== '' && denied.size < MOST_RUNNING) denied.add(id);
    const list = id === '' ? logged : captured.denials;
    if (!list.some((one) => isSame(one) && one.by === denial.by) && list.length < MOST) list.push(denial);
  };
  const report = (one: ServerReport, isGuess = false) => {
    const known = [...servers.keys()].find(
      (name) => name !== null && one.name !== null && isSameServer(name, one.name),
    );
    if (isGuess && known !== undefined) return;
    const name = known ?? one.name;
    const tools = servers.get(name)?.tools === 'known' ? 'known' : (one.tools ?? servers.get(name)?.tools);
    if (servers.size < MOST || servers.has(name))
      servers.set(name, { ...one, name, ...(tools === undefined ? {} : { tools }) });
  };
  /** A server whose tool answered is connected. A server that disconnected during the call stays reported so. */
  const served = (server: string) => {
    const isGone = [...servers.values()].some(
      ({ name, state }) => state === 'disconnected' && name !== null && isSameServer(name, server),
    );
    if (!isGone) report({ name: server, state: 'connected', why: null, tools: 'known' });
  };
  /** One without a name is one of those that have one, where there are any. */
  const reported = (): ServerReport[] => {
    const all = [...servers.values()].map(withoutTools);
    const named = all.filter(({ name }) => name !== null);
    return lackingServers(named).length > 0 ? named : all;
  };
  /** Its tools may still be listed while the call runs. */
  const withoutTools = (one: ServerReport): ServerReport =>
    listsTools && captured.completed && one.state === 'connected' && one.tools === 'awaited'
      ? { ...one, state: 'failed', why: 'it connected, but listed no tools' }
      : one;
  /** Omits a logged denial without a rule if an event reports a denial of the same tool. */
  const denials = () => [
    ...captured.denials,
    ...logged.filter(
      ({ tool, rule, by }) => (rule ?? by ?? null) !== null || !captured.denials.some((one) => one.tool === tool),
    ),
  ];
  const unmet = () => signInPrompt ?? unmetIn(requires, { ...seen, servers: reported(), denials: denials() });

  const take: { [How in EngineEvent['how']]: (event: Extract<EngineEvent, { how: How }>) => void } = {
    session_named: ({ id }) => {
      captured.sessionId = id;
    },
    model_named: ({ model }) => {
      captured.model = model;
    },
    said: (piece) => {
      turns.acted(running.size);
      answer.add(piece);
    },
    outsized: ({ what }) => {
      if (what === 'answer') turns.acted(running.size);
      answer.lose(what);
    },
    turn_began: () => {
      seen.begun = true;
      turns.began();
    },
    requested: () => {
      seen.begun = true;
      requests++;
      announced = false;
      turns.areReported();
    },
    tool_began: ({ id, name, server = null, rule = null, ofAgent }) => {
      if (ofAgent && ofAgents.size < MOST_RUNNING) ofAgents.set(id, { name, server, rule });
      if (ofAgent) return;
      turns.acted(running.size);
      if (running.size < MOST_RUNNING) running.set(id, { name, server, rule });
      captured.tools++;
      answer.drop();
    },
    tool_ended: ({ id, name, denied, rule, by, gone, ofAgent }) => {
      if (ofAgent) {
        if (denied) deny(id, denialOf(name, rule, by, ofAgents.get(id)));
        ofAgents.delete(id);
        return;
      }
      const began = running.get(id);
      if (began === undefined) captured.tools++;
      if (denied) deny(id, denialOf(name, rule, by, began));
      if (began?.server && gone !== undefined) report({ name: began.server, state: 'disconnected', why: gone });
      else if (began?.server && !denied) served(began.server);
      running.delete(id);
      turns.gotResult();
      answer.drop();
    },
    tool_denied: ({ id, name, rule, by }) => deny(id, denialOf(name, rule, by, running.get(id))),
    server: ({ name, state, why = null, unlessKnown, final: isFinal = false, tools }) => {
      if (settled.has(name) && !isFinal) return;
      if (isFinal) settled.add(name);
      report({ name, state, why, ...(tools === undefined ? {} : { tools }) }, unlessKnown);
    },
    servers_listed: () => {
      seen.listed = true;
    },
    message_ended: ({ cut: why }) => {
      cutShort = why;
    },
    warned: ({ message, unless }) => {
      if (unless === undefined || !captured.warnings.some((one) => one.startsWith(unless)))
        keep(captured.warnings, message);
    },
    asked_to_sign_in: ({ message }) => {
      // After the first request to the model, a tool may have printed the message.
      if (!seen.begun && captured.tools === 0 && !answer.isVisible()) signInPrompt ??= { message };
    },
    erred: ({ failure, framed }) => {
      announced = false;
      const cause = framed && [captured.retrying, captured.errors.at(-1)].find((one) => one && isOf(failure, one));
      captured.errors.push(cause || failure);
      if (captured.errors.length > MOST) captured.errors.shift();
    },
    retrying: ({ failure }) => {
      const confirms = failure.message === '' && announced;
      if (!confirms) captured.retries++;
      if (!confirms) captured.retrying = failure.message === '' ? (captured.errors.at(-1) ?? failure) : failure;
      announced = true;
    },
    stopped: ({ failure, unless }) => {
      if (unless === 'answered_later') answer.drop();
      // The guard of the call ends it then, as at a retry.
      if (unless === 'answered_later' && ++blocked === MOST_BLOCKED) captured.retrying = failure;
      if (unless !== undefined) missed = failure;
      else stopped = failure;
    },
    counted: ({ usage: counts, adds }) => {
      if ('usd' in counts) unpriced = counts.usd === null || (adds === true && unpriced);
      usage = { ...usage, ...(adds ? addedUsage(usage, counts) : counts), ...(unpriced ? { usd: null } : {}) };
    },
    spent: ({ request, used }) => {
      const before = spent.get(request) ?? { model: null, input_tokens: 0, cached_tokens: 0, output_tokens: 0 };
      spent.set(request, { ...before, ...used });
    },
    sub_agent: ({ id, state, unlessKnown }) => {
      if (agents.size < MOST_RUNNING && !(unlessKnown && agents.has(id))) agents.set(id, state);
    },
    completed: ({ endsTools }) => {
      // Not every version reports its requests.
      seen.begun = true;
      const lost = answer.lost();
      if (lost !== null) stopped ??= { message: lost, code: 'answer_too_large' };
      if (!answer.isVisible()) stopped ??= missed;
      captured.completed = stopped === null;
      captured.failure = stopped;
      hasEndedTools = endsTools === true;
    },
    failed: ({ failure }) => {
      captured.completed = false;
      captured.failure = failure.message === '' ? (stopped ?? captured.errors.at(-1) ?? failure) : failure;
    },
  };

  return {
    add(event, from = 'stream') {
      // A complete answer is final, whatever is reported after it. Only counts and the like may still change.
      const complete = captured.completed && answer.isVisible();
      if (complete && !BESIDE_THE_ANSWER.has(event.how)) return;
      // An error on stderr is only the cause of a retry.
      if (from === 'stderr' && event.how === 'erred') {
        captured.retrying = event.failure;
        return;
      }
      take[event.how](event as never);
      // stderr may report a retry in the middle of an answer.
      if (event.how === 'retrying' && from === 'stream') answer.drop(event.keeps ? 'end' : 'all');
    },
    unmet,
    result: () => ({
      ...captured,
      ...withUnmet(captured, unmet()),
      errors: [...captured.errors],
      denials: denials(),
      servers: reported(),
      warnings: [...captured.warnings, ...(captured.completed && cutShort !== null ? [incomplete(cutShort)] : [])],
      inferred: [
        ...(captured.completed && hasEndedTools ? unfinishedWork(agents, running) : []),
        ...(agents.size > MOST_AGENTS ? [uncountedAgents(agents.size - MOST_AGENTS)] : []),
      ],
      answer: answer.text(),
      turns: turns.count(),
      // A CLI may count only the requests that got an answer.
      usage: { ...usage, turns: turns.count(), api_requests: Math.max(usage.api_requests ?? 0, requests) || null },
      requests: [...spent.values()],
    }),
  };
}

const denialOf = (
  name: string | null,
  rule: string | undefined,
  by: string | undefined,
  began: Running | undefined,
): Denial => ({
  tool: name ?? began?.name ?? 'unknown',
  rule: rule ?? began?.rule ?? null,
  ...(by === undefined ? {} : { by }),
});

/** A call with an unmet requirement is not a success. If it also failed, its own failure is more informative. */
const withUnmet = (
  { completed, failure }: { completed: boolean; failure: EngineFailure | null },
  unmet: EngineFailure | null,
): { unmet: EngineFailure | null; completed: boolean; failure: EngineFailure | null } =>
  unmet === null ? { unmet, completed, failure } : { unmet, completed: false, failure: failure ?? unmet };

interface Running {
  name: string;
  server: string | null;
  rule: string | null;
}

const BESIDE_THE_ANSWER: ReadonlySet<EngineEvent['how']> = new Set([
  'counted',
  'spent',
  'session_named',
  'message_ended',
  'sub_agent',
  'warned',
  'server',
  'tool_denied',
]);

/** @param why it lacks its end. */
export const incomplete = (why: string): string => `the answer may be incomplete: ${why}`;

const isOf = (frame: EngineFailure, one: EngineFailure) => one.status === frame.status && one.message !== '';

const MOST = 50;
/** claude and copilot also ask this many times for an answer that a hook blocks; gemini has no limit. */
export const MOST_BLOCKED = 9;
const MOST_RUNNING = 10_000;

function keep(list: string[], text: string): void {
  if (list.length === MOST) return;
  const head = cut(text, 1000);
  if (!list.includes(head)) list.push(head);
}
