// Classifies one call: tries the evidence from the most to the least reliable, and the rules from the most specific on.

import type { Clock } from '../facts/clock.ts';
import type { EngineFailure } from '../facts/engine-event.ts';
import {
  ENDED_BY_US,
  ENDINGS,
  type Ending,
  type Evidence,
  type EvidenceSource,
  isSuccess,
  SUCCESS,
  type Verdict,
} from '../facts/evidence.ts';
import { DENIAL_REFUSED, SERVER_REQUIRED } from '../facts/requirements.ts';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { asksToSignIn } from '../rules/access.ts';
import {
  ENDING_RULES,
  LEFTOVERS,
  LOST,
  MISFITS,
  NO_ANSWER,
  SERVER_LACKS,
  SIGN_IN_AWAITED,
  SILENT_START,
  TOO_LARGE,
  TOOL_DENIED,
} from '../rules/endings.ts';
import { isOfHelper } from '../rules/mcp.ts';
import type { Meaning, Rule } from '../rules/rule.ts';
import { TIERS } from '../rules/rules.ts';
import { findRule, type Subject, textsOf } from './match.ts';
import { retryAt } from './retry-at.ts';
import { type StderrFailure, stderrFailures } from './stderr-failures.ts';

/** @param own The user's rows, tried before ours. */
export function classify(evidence: Evidence, clock: Clock, own: readonly Rule[] = []): Verdict {
  if (isSuccess(evidence)) return SUCCESS;
  const { obstacle, ending } = evidence;
  if (obstacle !== null) return verdict({ id: 'obstacle', ...obstacle }, 'none', obstacle.message, null);
  if (ending === 'idle' && evidence.silent) return verdict(SILENT_START, 'ending', SILENT_START.words, null);
  const signInPrompt = WAITED.has(ending) ? evidence.stderr.find(asksToSignIn) : undefined;
  if (signInPrompt !== undefined) return verdict(SIGN_IN_AWAITED, 'stderr', signInPrompt, null);
  const ended = ENDING_RULES[ending];
  if (ended !== null) return verdict(ended, 'ending', evidence.overCap ?? ENDINGS[ending], null);
  const { failure } = evidence;
  if (failure?.code === TOO_LARGE.reason) return verdict(TOO_LARGE, 'terminal', failure.message, null);
  if (failure?.code === NO_ANSWER.reason) return verdict(NO_ANSWER, 'terminal', failure.message, null);
  if (failure?.code === SERVER_REQUIRED) return verdict(SERVER_LACKS, 'terminal', failure.message, null);
  if (failure?.code === DENIAL_REFUSED) return verdict(TOOL_DENIED, 'terminal', failure.message, null);
  const misfit = Object.values(MISFITS).find(({ reason }) => reason === failure?.code);
  if (misfit !== undefined) return verdict(misfit, 'terminal', failure!.message, null);
  const { subjects, asides } = saidIn(evidence);
  const heard = subjects.some(({ exit }) => exit === null) ? subjects : [...subjects, ...asides];
  for (const rules of tiersWith(own))
    for (const subject of heard) {
      const rule = findRule(subject, rules, clock);
      if (rule === null) continue;
      return verdict(rule, subject.source, subject.failure.message, askedTime(rule, [subject, ...heard], clock));
    }
  return leftover(evidence, heard);
}

/** A project's rows come before ours, but no row decides by less reliable evidence than another matches. */
const tiersWith = (own: readonly Rule[]) => TIERS.map((rules, tier) => (tier === 0 ? [...own, ...rules] : rules));

interface Said {
  /** The most reliable first; the way the CLI ended last. */
  subjects: Subject[];
  /** Warnings, and failures of helpers: they count only if there is nothing else. */
  asides: Subject[];
}

function saidIn(evidence: Evidence): Said {
  const { tool, failure, errors, retried, completed } = evidence;
  const said = (source: EvidenceSource, one: EngineFailure): Subject => ({ tool, source, failure: one, exit: null });
  const stderr = stderrFailures(evidence.stderr);
  const remarks = stderrFailures(evidence.remarks);
  const subjectsOf = (weights: readonly StderrFailure['weight'][], from: StderrFailure[]) =>
    from.filter(({ weight }) => weights.includes(weight)).map((one) => said('stderr', one.failure));
  const reported = errors.toReversed().map((one) => said('error', one));
  const retries = retried === null ? [] : [said('error', retried)];
  const subjects = [
    ...(failure === null ? [] : [said('failure', failure)]),
    ...(evidence.ending === 'retry_cut' ? retries : []),
    ...reported.filter((one) => !isBeside(one)),
    ...subjectsOf(['error', 'plain'], stderr),
  ];
  // After a completed turn the code has no meaning, and earlier failures were overcome.
  if (completed) return { subjects, asides: [] };
  return {
    subjects: [
      ...subjects,
      ...retries,
      ...subjectsOf(['retry'], stderr),
      ...exitOf(evidence),
      ...subjectsOf(['error', 'plain', 'retry'], remarks),
    ],
    asides: [...reported.filter(isBeside), ...subjectsOf(['aside'], stderr), ...subjectsOf(['aside'], remarks)],
  };
}

const isBeside = ({ failure }: Subject): boolean => isOfHelper(failure.message);

function exitOf({ tool, ending, exitCode, signal }: Evidence): Subject[] {
  const exit = signal ?? exitCode;
  if (exit === null || exit === 0 || ENDED_BY_US.has(ending)) return [];
  const message = signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
  const status = exitCode === null ? null : cliEndOf(tool).statusOf(exitCode);
  return [{ tool, source: 'exit_code', failure: { message, ...(status === null ? {} : { status }) }, exit }];
}

function leftover({ tool, completed, ending, exitCode, tokens }: Evidence, subjects: Subject[]): Verdict {
  if (completed && cliEndOf(tool).succeedsUnasked && tokens === 0)
    return verdict(LEFTOVERS.nothingAsked, 'terminal', 'the CLI reports success without a request to the model', null);
  if (completed) return verdict(LEFTOVERS.emptyAnswer, 'terminal', 'the CLI reports success without an answer', null);
  const [first] = subjects;
  const words = first?.failure.message ?? '';
  if (ending === 'retry_cut') return verdict(LEFTOVERS.retryCut, 'ending', words, null);
  if (ending === 'lost') return verdict(LOST, 'ending', ENDINGS.lost, null);
  if (first !== undefined) return verdict(LEFTOVERS.unmatched, first.source, words, null);
  if (exitCode === 0) return verdict(LEFTOVERS.noResult, 'terminal', 'the CLI ended without its terminal event', null);
  return verdict(LEFTOVERS.unmatched, 'none', '', null);
}

/** Only a failure that may pass by itself has a time to try again. */
function askedTime(rule: Rule, subjects: readonly Subject[], clock: Clock): string | null {
  if (rule.noReset === true || (rule.class !== 'transient' && rule.class !== 'quota')) return null;
  for (const { failure } of subjects) {
    const at = retryAt(textsOf(failure), clock);
    if (at !== null) return at.toISOString();
  }
  return null;
}

function verdict(
  { id, class: errorClass, reason }: Meaning,
  source: EvidenceSource,
  text: string,
  retry_at: string | null,
): Verdict {
  return { class: errorClass, reason, evidence: { source, text: text.slice(0, MAX_TEXT), rule: id }, retry_at };
}

const MAX_TEXT = 1000;

/** How a call that waits for a user's input ends. */
const WAITED: ReadonlySet<Ending> = new Set(['timed_out', 'idle']);

/** What the end of each CLI shows beside its messages. */
interface CliEnd {
  /** The HTTP status that its exit code encodes; null if it encodes none. */
  statusOf(exitCode: number): number | null;
  /** Does it report success, with no tokens, if it called no model? */
  succeedsUnasked: boolean;
}

const CLI_ENDS: Readonly<Record<BuiltIn, CliEnd>> = {
  // It exits with the status modulo 256. A result within its own codes cannot be distinguished from them.
  gemini: { statusOf: (exitCode) => (exitCode >= 144 ? exitCode + 256 : null), succeedsUnasked: true },
  copilot: { statusOf: () => null, succeedsUnasked: false },
  codex: { statusOf: () => null, succeedsUnasked: false },
  // A prompt that the CLI interprets as one of its own commands.
  claude: { statusOf: () => null, succeedsUnasked: true },
};

const cliEndOf = (tool: Tool): CliEnd => rowOf(CLI_ENDS, tool, { statusOf: () => null, succeedsUnasked: false });
