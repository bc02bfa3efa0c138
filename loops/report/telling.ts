// Formats a CLI's events for a reader: prints an answer that arrives in pieces line by line, and once.

import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { eventWords } from './event-words.ts';

export interface Telling {
  /** Returns the lines that this event completes. */
  hear(event: EngineEvent): string[];
  /** Returns the remaining text when no more events follow. */
  end(): string[];
}

export function createTelling(): Telling {
  /** The message that arrives in pieces, and the length of its printed part. */
  let said = '';
  let given = 0;
  const end = (): string[] => {
    const rest = said.slice(given);
    said = '';
    given = 0;
    return rest === '' ? [] : [rest];
  };
  return {
    end,
    hear(event) {
      if (event.how !== 'said') {
        const words = eventWords(event);
        return words === null ? [] : [...end(), words];
      }
      if (event.whole) {
        const isRepeated = said.trim() !== '' && said.trim() === event.text.trim();
        const rest = end();
        return isRepeated ? rest : [...rest, ...event.text.split('\n')];
      }
      said += event.text;
      const until = said.lastIndexOf('\n');
      if (until < given) return [];
      const lines = said.slice(given, until).split('\n');
      given = until + 1;
      return lines;
    },
  };
}
