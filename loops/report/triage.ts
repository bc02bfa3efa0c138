// Classifies a call that another program made, from its captured stderr, stdout and exit code, and signs it.

import type { Clock } from '../../policies/facts/clock.ts';
import {
  type Ending,
  type Evidence,
  type Obstacle,
  SUCCESS,
  type Verdict,
  visibleChars,
} from '../../policies/facts/evidence.ts';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { NO_REQUIREMENTS } from '../../policies/facts/requirements.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { LEFTOVERS } from '../../policies/rules/endings.ts';
import type { Rule } from '../../policies/rules/rule.ts';
import { isBroad } from '../../policies/rules/rules.ts';
import { createErrorLines, orSpoken } from '../../policies/signature/error-lines.ts';
import { explain, type Signature, sign } from '../../policies/signature/sign.ts';
import { classify } from '../../policies/verdict/classify.ts';
import type { CapturedCall, Judged, LabelledCase } from '../../policies/verdict/labelled-case.ts';
import { compileRow } from '../../policies/verdict/own-row.ts';
import { stderrFailures } from '../../policies/verdict/stderr-failures.ts';
import { projectFile, readProject } from '../../state/project/project.ts';
import type { YamlRead } from '../../state/project/yaml-file.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { createCapture } from '../../wrappers/capture.ts';
import { createLineSplitter, type LineSplitter, MAX_STDERR_LINE } from '../../wrappers/line-splitter.ts';
import { signatureInput } from '../call/classify.ts';

export interface Triaged {
  verdict: Verdict;
  signature: Signature | null;
}

/** @param own a user's rows, tried before ours. */
export function triage(
  captured: CapturedCall,
  clock: Clock,
  own: readonly Rule[] = [],
  depth: 'sign' | 'explain' = 'sign',
): Triaged {
  return judgeGathered(evidenceOf(captured), clock, own, depth);
}

/** The same for a call whose output was read piece by piece. */
export function judgeGathered(
  gathered: Gathered,
  clock: Clock,
  own: readonly Rule[] = [],
  depth: 'sign' | 'explain' = 'sign',
): Triaged {
  const { evidence, verdict } = examineGathered(gathered, clock, own);
  if (verdict.class === null) return { verdict, signature: null };
  const input = signatureInput(evidence, verdict);
  return { verdict, signature: depth === 'explain' ? explain(input) : sign(input) };
}

interface Examined {
  evidence: Evidence;
  verdict: Verdict;
}

/** Returns only the verdict, and its evidence. */
export function examine(captured: CapturedCall, clock: Clock, own: readonly Rule[] = []): Examined {
  return examineGathered(evidenceOf(captured), clock, own);
}

function examineGathered({ evidence, isStructured }: Gathered, clock: Clock, own: readonly Rule[]): Examined {
  const verdict = classify(evidence, clock, own);
  return { evidence, verdict: isStructured ? verdict : ofText(verdict, evidence) };
}

/** For complete texts. */
export function evidenceOf({ stderr, stdout, ...call }: CapturedCall): Gathered {
  const gathering = gather(call);
  for (const [lines, text] of [
    [gathering.stdout, stdout],
    [gathering.stderr, stderr],
  ] as const) {
    lines.push(text);
    lines.end();
  }
  return gathering.gathered();
}

/**
 * Text mode has no terminal event. A zero exit code with text is a success, unless the CLI reported a failure that a specific row
 * recognises. Retries, warnings and failures of helper programs do not count, as they were overcome.
 */
function ofText(verdict: Verdict, { exitCode, answerChars, ending, stderr }: Evidence): Verdict {
  if (ending !== 'exited' || exitCode !== 0 || answerChars === 0) return verdict;
  const { evidence } = verdict;
  if (evidence === null || evidence.source === 'failure') return verdict;
  const isVague = verdict.class === 'unknown' || evidence.rule === LEFTOVERS.noResult.id || isBroad(evidence.rule);
  const isOnStderr = stderrFailures(stderr).some(
    ({ weight, failure }) => weight === 'error' && failure.message.startsWith(evidence.text),
  );
  return isOnStderr && !isVague ? verdict : SUCCESS;
}

type GatheredEnd = Omit<CapturedCall, 'stderr' | 'stdout'>;

interface Gathering {
  /** Must be read first. */
  stdout: LineSplitter;
  stderr: LineSplitter;
  /** Called after both have ended. */
  gathered(): Gathered;
}

interface Gathered {
  evidence: Evidence;
  /** Whether stdout contained the CLI's events, or its document. */
  isStructured: boolean;
}

/** A longer line of the event stream is truncated and therefore skipped. A longer document or answer is ignored. */
const MAX_EVENT_LINE = 8 * 1024 * 1024;

/** Feed `stdout` to its end, then `stderr`. Then `gathered` returns the evidence. */
export function gather(call: GatheredEnd): Gathering {
  const adapter = adapterOf(call.tool);
  const capture = createCapture(NO_REQUIREMENTS, MAX_EVENT_LINE);
  const lines = createErrorLines(call.tool);
  /** Older versions print their failures on stdout if they write no stream. */
  const spoken = createErrorLines(call.tool);
  const document = createDocument();
  let isStructured = false;
  /** Text before the first event means that there is no stream, because an answer may quote events. */
  let prose = false;
  let visible = 0;
  let opening = '';

  return {
    stdout: createLineSplitter(MAX_EVENT_LINE, 'all', (line) => {
      for (const event of prose ? [] : adapter.readEvent(line)) {
        capture.add(event);
        isStructured = true;
      }
      if (isStructured) return;
      if (opening === '') opening = line.trim().slice(0, 200);
      if (!prose) prose = opening !== '' && !opening.startsWith('{');
      visible += visibleChars(line);
      spoken.push(line);
      document.add(line);
    }),
    stderr: createLineSplitter(MAX_STDERR_LINE, 'shown', (line) => {
      lines.push(line);
      for (const event of adapter.readStderr?.(line) ?? []) capture.add(event, 'stderr');
    }),
    gathered() {
      if (!isStructured)
        for (const event of adapter.readDocument(document.text()) ?? []) {
          capture.add(event);
          isStructured = true;
        }
      const fails = (call.exitCode ?? 0) !== 0 || OWN_FAILURE.test(opening);
      const said = !isStructured && fails ? orSpoken(lines, spoken) : lines;
      const { completed, answer, failure, errors, retrying, retries, usage } = capture.result();
      const answerChars = isStructured ? visibleChars(answer) : visible;
      const ended = endOf(call, retries);
      const evidence: Evidence = {
        tool: call.tool,
        ...ended,
        // Without a stream, only a zero exit code shows completion. An answer that was cut would look the same.
        completed: completed || (!isStructured && ended.exitCode === 0 && answerChars === 0),
        answerChars,
        failure,
        errors,
        retried: retrying,
        stderr: said.lines(),
        remarks: said.remarks(),
        tokens: usage.total_tokens,
      };
      return { evidence, isStructured };
    },
  };
}

/** The beginnings of CLI messages that are not an answer. */
const OWN_FAILURE = /^(?:✗ |\[API Error: |Execution failed: |Model call failed: )/;

/** Collects what may be a JSON document, and drops everything else. */
function createDocument() {
  let lines: string[] | null = [];
  let room = MAX_EVENT_LINE;
  return {
    add(line: string) {
      room -= line.length + 1;
      const begins = lines?.length === 0;
      if (begins && line.trim() === '') return;
      if (room < 0 || (begins && !line.trimStart().startsWith('{'))) lines = null;
      lines?.push(line);
    },
    text: () => lines?.join('\n') ?? '',
  };
}

type End = Pick<Evidence, 'ending' | 'exitCode' | 'signal' | 'obstacle'>;

function endOf({ tool, exitCode, signal, ending }: GatheredEnd, retries: number): End {
  if (ending === 'killed') return { ending: retries > 0 ? 'retry_cut' : 'timed_out', exitCode, signal, obstacle: null };
  if (ending !== null) return { ending, exitCode, signal, obstacle: null };
  if (signal !== null) return { ending: 'signalled', exitCode, signal, obstacle: null };
  return endByCode(tool, exitCode);
}

/** An exit code of our wrappers shows how the call ended; it is not a code of the CLI. */
function endByCode(tool: BuiltIn, exitCode: number | null): End {
  const codes = WRAPPER_EXIT[tool];
  const ended = (ending: Ending, obstacle: Obstacle | null = null): End => ({
    ending,
    exitCode: null,
    signal: null,
    obstacle,
  });
  if (exitCode === codes.timeout) return ended('timed_out');
  if (exitCode === codes.missingBinary)
    return ended('not_started', { class: 'tooling', reason: 'binary_missing', message: `${tool} is not installed` });
  if (exitCode === codes.failure) return ended('exited');
  return { ending: 'exited', exitCode, signal: null, obstacle: null };
}

/** @param own a user's rows, tried before ours. */
export const judgeCases = (cases: readonly LabelledCase[], own: readonly Rule[] = []): Judged[] =>
  cases.map((labelled) => {
    const { verdict, signature } = triage(labelled.captured, { now: labelled.at, timeZone: 'UTC' }, own);
    return { labelled, verdict, signature: signature?.signature ?? null };
  });

type OwnRules =
  /** `lineOf` returns a rule's line; `file` is null if the project has none. */
  | { how: 'read'; file: string | null; rules: readonly Rule[]; lineOf(rule: Rule): number }
  | (Extract<YamlRead<never>, { how: 'invalid' }> & { file: string | null });

/** Returns the compiled rules and the line of each in the file; `invalid` if the file cannot be used. */
export async function readOwnRules(cwd: string): Promise<OwnRules> {
  const root = projectRoot(cwd);
  const file = projectFile(root);
  const read = await readProject(root);
  if (read.how === 'invalid') return { ...read, file };
  const rules = read.value.triage.rules.map(compileRow);
  return { how: 'read', file, rules, lineOf: (rule) => read.lineOf(['triage', 'rules', rules.indexOf(rule)]) };
}
