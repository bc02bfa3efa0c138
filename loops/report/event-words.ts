// Describes one event of a CLI's event stream in words, for a user who follows a call.

import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { serverWords } from '../../policies/facts/requirements.ts';

/** Returns null for an event that is of no use to a reader. */
export function eventWords(event: Exclude<EngineEvent, { how: 'said' }>): string | null {
  switch (event.how) {
    case 'tool_began':
      return `-> ${event.name}`;
    case 'tool_ended':
      return event.denied ? `<- ${event.name ?? 'a tool'}: denied` : null;
    case 'tool_denied':
      return `<- ${event.name ?? 'a tool'}: denied`;
    case 'server':
      return event.state === 'connected' ? null : serverWords({ ...event, why: event.why ?? null });
    case 'session_named':
      return `session ${event.id}`;
    case 'asked_to_sign_in':
      return `asks to sign in: ${event.message}`;
    case 'warned':
      return `warning: ${event.message}`;
    case 'retrying':
      return `announces a retry${after(event.failure.message)}`;
    case 'erred':
      return `error${after(event.failure.message)}`;
    case 'stopped':
    case 'failed':
      return `gives up${after(event.failure.message)}`;
    case 'outsized':
      return 'an event too long to be read whole';
    case 'completed':
      return 'is done';
    case 'servers_listed':
    case 'model_named':
    case 'turn_began':
    case 'requested':
    case 'counted':
      return null;
  }
}

const after = (message: string): string => (message === '' ? '' : `: ${message}`);
