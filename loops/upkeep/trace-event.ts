// Selects the facts of a journal that become events of a trace, with their span and attributes.

import { known, type TraceValue } from '../../policies/report/trace-span.ts';
import type { JournalLine } from '../../state/journal/facts.ts';

interface TraceEvent {
  name: string;
  on: 'call' | 'stage' | 'run';
  attributes: Record<string, TraceValue>;
  /** The error of the event's span; null: earlier failures no longer count. */
  error?: string | null;
}

/** Returns null for a fact that a trace shows in another form, or not at all. */
export function traceEvent(line: JournalLine): TraceEvent | null {
  switch (line.fact) {
    case 'verdict': {
      const { class: errorClass, reason, signature, retry_at, exit_code } = line;
      const error = errorOf(errorClass, reason);
      const attributes = known({ ...verdictOf(line), signature, retry_at, exit_code });
      return { name: 'verdict', on: 'call', attributes: ours(attributes), error };
    }
    case 'gate': {
      const { passed, missing, class: errorClass, reason, signature } = line;
      const attributes = ours(known({ ...verdictOf(line), passed, missing, signature, said: line.verdict }));
      return {
        name: 'gate',
        on: 'stage',
        attributes,
        ...(passed ? {} : { error: errorOf(errorClass, reason) ?? 'gate' }),
      };
    }
    case 'decided': {
      const { action, why, wait_ms } = line;
      return { name: 'decision', on: 'stage', attributes: ours({ action, why, wait_ms }) };
    }
    case 'done':
      return { name: 'done', on: 'stage', attributes: {}, error: null };
    case 'kept':
    case 'reopened':
      return { name: line.fact, on: 'run', attributes: ours({ stage: line.stage }) };
    case 'budget':
      return { name: 'budget', on: 'run', attributes: ours({ calls: line.calls, from: line.from }) };
    case 'reasoned':
      return { name: 'reasoned', on: 'run', attributes: ours({ action: line.action }) };
    case 'left':
      return { name: 'left', on: 'run', attributes: ours({ how: line.how }) };
    default:
      return null;
  }
}

const verdictOf = ({ class: errorClass, reason }: { class: string | null; reason: string | null }) => ({
  class: errorClass ?? 'success',
  reason,
});

const errorOf = (errorClass: string | null, reason: string | null): string | null =>
  errorClass === null ? null : `${errorClass}/${reason ?? 'unknown'}`;

const ours = (attributes: Record<string, TraceValue>): Record<string, TraceValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`tollgate.${name}`, value]));
