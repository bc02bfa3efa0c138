// Runs the due checks of a stage's gate in a fixed order, and makes the gate's record from the findings.

import {
  type AcceptanceResult,
  type Finding,
  GATE_CHECKS,
  GATE_RECORD_SCHEMA,
  type GateCheck,
  type GateRecord,
} from '../../policies/facts/gate-record.ts';
import { mapAction } from '../../policies/facts/next-action.ts';
import { checkVerdict, verdictNotes, verdictSaid } from '../../policies/gate/answer-verdict.ts';
import { dueChecks } from '../../policies/gate/gate-verdict.ts';
import { readJsonAnswer } from '../../policies/gate/json-answer.ts';
import { checkRefusal } from '../../policies/gate/refusal.ts';
import { checkChanges, checkLines, checkSections } from '../../policies/gate/required-output.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { readHead } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { runAcceptance } from './acceptance.ts';
import { checkDiff } from './diff.ts';
import { checkFit } from './fit.ts';
import type { GateRequest } from './gate-request.ts';

/** Writes only the artifacts of the checks: `<stage>.patch` and `<stage>.acceptance.log`. */
export async function passGate(request: GateRequest): Promise<GateRecord> {
  const { stage, role, redactor } = request;
  const due = dueChecks(role, stage, request.acceptanceCommands).filter(
    (check) => request.look === 'first' || !OF_THE_CALL.includes(check),
  );
  const answer = readAnswer(request.answerFile);
  const given = [...request.findings, ...(answer.how === 'read' ? [] : [answer.finding])];
  const seen: Seen = { answer: answer.how === 'read' ? answer.text : null, findings: [], acceptance: [], notes: [] };
  if (answer.how === 'read') seen.notes.push(...answer.notes);
  const checks: GateRecord['checks'] = [];
  for (const check of GATE_CHECKS) {
    const findings = given.filter((finding) => finding.check === check);
    const { needs, look } = GATES[check];
    const why = due.includes(check) ? NEEDS[needs](request, seen) : 'it is not due';
    const looked = why === null ? await look(request, seen) : [];
    if (looked === 'stopped') seen.notes.push(`the gate was stopped before its check "${check}" was through`);
    else findings.push(...looked);
    if (why === null || findings.length > 0)
      checks.push({ check, passed: looked !== 'stopped' && findings.length === 0 });
    else if (needs === 'all' && due.includes(check)) seen.notes.push(`acceptance commands were not run: ${why}`);
    seen.findings.push(...findings);
    if (looked === 'stopped') break;
  }
  const verdict = seen.answer === null ? null : verdictSaid(seen.answer, stage);
  if (verdict === null ? seen.findings.length === 0 : !due.includes('verdict'))
    seen.notes.push(...verdictNotes(verdict, request));
  const record: GateRecord = {
    schema: GATE_RECORD_SCHEMA,
    stage: stage.name,
    tool: request.tool,
    call_id: request.callId,
    at: request.clock().toISOString(),
    passed: checks.every(({ passed }) => passed),
    checks,
    findings: seen.findings,
    verdict,
    changes: request.changes,
    acceptance: seen.acceptance,
    restored: [],
    notes: seen.notes,
  };
  return redactRecord(record, redactor);
}

/** These checks are about the call's own changes. A diff that was applied after the call does not apply a second time. */
const OF_THE_CALL: readonly GateCheck[] = ['scope', 'changes', 'diff'];

/** The state of the gate so far. */
interface Seen {
  /** null if it cannot be read; then no check that needs the answer runs. */
  answer: string | null;
  findings: Finding[];
  acceptance: AcceptanceResult[];
  notes: string[];
}

interface Gate {
  needs: 'nothing' | 'answer' | 'tree' | 'all';
  look(request: GateRequest, seen: Seen): Finding[] | 'stopped' | Promise<Finding[] | 'stopped'>;
}

/** Returns why an input that a check needs is missing, or null. */
const NEEDS = {
  nothing: () => null,
  answer: (_, { answer }) => (answer === null ? 'there is no answer' : null),
  tree: ({ changes }) => (changes === null ? 'the tree was not looked at' : null),
  all: (_, { findings }) => (findings.length > 0 ? 'another check failed' : null),
} as const satisfies Record<Gate['needs'], (request: GateRequest, seen: Seen) => string | null>;

const found = (finding: Finding | null): Finding[] => (finding === null ? [] : [finding]);
/** The request already contains the earlier findings. */
const given = () => [];

/** Large modules are loaded only when their check is due. */
const GATES = {
  judge: { needs: 'nothing', look: given },
  scope: { needs: 'tree', look: given },
  refusal: {
    needs: 'answer',
    look: ({ role, redactor }, { answer }) => found(checkRefusal(answer!, role.requires, redactor.redact)),
  },
  changes: {
    needs: 'tree',
    look: ({ changes, stage }) => found(checkChanges(changes!, stage.may_be_empty)),
  },
  sections: {
    needs: 'answer',
    look: ({ role }, { answer }) => found(checkSections(answer!, role.requires)),
  },
  lines: {
    needs: 'answer',
    look: ({ role }, { answer }) => found(checkLines(answer!, role.minLines)),
  },
  schema: {
    needs: 'answer',
    async look({ stage, redactor, stop }, { answer, notes }) {
      const read = readJsonAnswer(answer!);
      if (read.how === 'invalid') return [read.finding];
      const fit = await checkFit(stage.schema!, read.value, answer!.length, { redact: redactor.redact, stop });
      notes.push(...fit.notes);
      return stop.aborted ? 'stopped' : found(fit.finding);
    },
  },
  diff: {
    needs: 'answer',
    async look(request, { answer }) {
      const finding = await checkDiff(request, answer!);
      return request.stop.aborted ? 'stopped' : found(finding);
    },
  },
  verdict: {
    needs: 'answer',
    look: (request, { answer, findings }) => found(checkVerdict(answer!, request, findings)),
  },
  acceptance: {
    needs: 'all',
    async look(request, { acceptance }) {
      const accepted = await runAcceptance(request);
      acceptance.push(...accepted.acceptance);
      return accepted.how === 'stopped' ? 'stopped' : found(accepted.finding);
    },
  },
} as const satisfies Record<GateCheck, Gate>;

/** Reads an answer for the gate, up to the size that the gate checks. */
type ReadAnswer = { how: 'read'; text: string; notes: string[] } | { how: 'unreadable'; finding: Finding };

/** More than any model writes in one turn. The gate does not check the text beyond this limit. */
const MAX_ANSWER = 4 * 1024 * 1024;

export function readAnswer(file: string): ReadAnswer {
  try {
    const { text, bytes } = readHead(file, MAX_ANSWER);
    // A call without an answer does not come here, so the file was emptied since.
    if (bytes === 0) return { how: 'unreadable', finding: unreadable(file, 'it is empty') };
    const notes =
      bytes > MAX_ANSWER ? [`the answer has ${bytes} bytes; the gate looked at its first ${MAX_ANSWER}`] : [];
    return { how: 'read', text, notes };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code } = error;
    return { how: 'unreadable', finding: unreadable(file, code) };
  }
}

const unreadable = (file: string, code: string): Finding => ({
  check: 'judge',
  class: 'contract_violation',
  reason: 'answer_unreadable',
  missing: ['the answer'],
  text: `the answer can no longer be read (${code}): ${file}`,
  next_actions: [],
});

/** Removes secrets from names of files, lines of answers and printed output. Text that is already redacted does not change. */
export function redactRecord(record: GateRecord, { redact }: Redactor): GateRecord {
  return {
    ...record,
    findings: record.findings.map((finding) => ({
      ...finding,
      missing: finding.missing.map(redact),
      ...(finding.signed === undefined ? {} : { signed: finding.signed.map(redact) }),
      text: redact(finding.text),
      next_actions: finding.next_actions.map((action) => mapAction(action, redact)),
    })),
    changes:
      record.changes?.map(({ path, how, from }) => ({
        path: redact(path),
        how,
        ...(from === undefined ? {} : { from: redact(from) }),
      })) ?? null,
    restored: record.restored.map(({ path, kept_in }) => ({
      path: redact(path),
      kept_in: kept_in === null ? null : redact(kept_in),
    })),
    notes: record.notes.map(redact),
  };
}
