// What a person or an agent does next when the dispatcher has stopped: lines to type, or one sentence.

import type { ErrorClass } from './classes.ts';
import type { Verdict } from './evidence.ts';
import type { Tool } from './tools.ts';

export interface Situation {
  verdict: Verdict;
  taskId: string;
  tool: Tool;
  /** Of the call that failed; null where none is known. */
  sessionId?: string | null;
}

export function nextActions(situation: Situation): string[] {
  const { verdict } = situation;
  if (verdict.reason !== null && Object.hasOwn(BY_REASON, verdict.reason)) return BY_REASON[verdict.reason]!(situation);
  return verdict.class === null ? [] : BY_CLASS[verdict.class](situation);
}

const rerun = ({ taskId }: Situation) => `tollgate run ${taskId}`;
const preflight = ({ tool }: Situation) => `preflight --tools ${tool}`;

function later(situation: Situation): string {
  const { retry_at } = situation.verdict;
  return retry_at === null ? rerun(situation) : `${rerun(situation)} (not before ${retry_at})`;
}

const then = (situation: Situation) => `then: ${rerun(situation)}`;

/** MAX: how long it may take is for whoever waits to say. */
const awaited = (situation: Situation): string[] =>
  situation.verdict.retry_at === null ? [] : [`or let it wait: ${rerun(situation)} --wait-for-reset MAX`];

const SIGN_IN = {
  gemini: 'start `gemini` and sign in, or set GEMINI_API_KEY',
  copilot: 'start `copilot` and type /login, or set COPILOT_GITHUB_TOKEN',
  codex: 'codex login',
} as const satisfies Record<Tool, string>;

const BY_CLASS = {
  transient: (situation) => [later(situation)],
  prompt_too_large: (situation) => ['attach less, or split the task into smaller ones', then(situation)],
  auth: (situation) => [SIGN_IN[situation.tool], preflight(situation), rerun(situation)],
  quota: (situation) => [
    later(situation),
    ...awaited(situation),
    `or use another tool than ${situation.tool}, or raise the plan`,
  ],
  tooling: (situation) => [preflight(situation), rerun(situation)],
  scope_violation: () => ['review `scope.deny` in the manifest, and the changes named above'],
  contract_violation: (situation) => ['fix the prompt, or split the task into smaller ones', then(situation)],
  unknown: (situation) => ['read `last_failure.json`', rerun(situation)],
} as const satisfies Record<ErrorClass, (situation: Situation) => string[]>;

/** Some reasons have a better way out than their class. */
const BY_REASON: Record<string, (situation: Situation) => string[]> = {
  broken_history: (situation) =>
    situation.sessionId
      ? [`tollgate recover ${situation.sessionId}`, `or begin a fresh session: ${rerun(situation)}`]
      : BY_CLASS.tooling(situation),
  budget: (situation) => [`tollgate budget ${situation.taskId} --set N`, rerun(situation)],
  untrusted: (situation) => [`${rerun(situation)} --trust-workspace (only if you trust this folder)`],
};
