// Puts a CLI's events together as somebody would tell them: an answer that comes in pieces by its lines, and once.

import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { eventWords } from './event-words.ts';

export interface Telling {
  /** The lines that are whole with this event. */
  hear(event: EngineEvent): string[];
  /** What is left when nothing more comes. */
  end(): string[];
}

export function createTelling(): Telling {
  /** The message that comes in pieces, and how much of it has been given out. */
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
        const told = said.trim() !== '' && said.trim() === event.text.trim();
        const rest = end();
        return told ? rest : [...rest, ...event.text.split('\n')];
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
