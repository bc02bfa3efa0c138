// Tells codex' own words on stderr from what it echoes there.

import { NAMES_CODEX } from './assess.ts';

/** Whose a line is: the engine's own, an echo of something else, or the heading of an answer. */
type EchoedBy = 'own' | 'echo' | 'answer';

/**
 * codex in text mode echoes its settings, the prompt, tool output and the answer on stderr. Once its header has been
 * seen, only what follows an `ERROR` of its own is let through, up to the next heading. An answer that follows shows
 * that the turn went on, or that the error was one that the prompt quoted.
 */
export function createCodexEcho(): (line: string, found: number, isError: boolean) => EchoedBy {
  let headed = false;
  let open = true;
  let levels: 'telling' | 'everywhere' = 'telling';
  return (line, found, isError) => {
    if (!headed) {
      if ((found & NAMES_CODEX) === 0 || !line.includes('Codex v') || !HEADER.test(line)) return 'own';
      headed = true;
      open = false;
      if (isError) levels = 'everywhere';
      return 'echo';
    }
    if (OWN.test(line) || (isError && levels === 'telling')) open = true;
    else if (HEADING.test(line)) open = false;
    if (line.trim() === 'codex') return 'answer';
    return open || line.trim() === 'turn interrupted' ? 'own' : 'echo';
  };
}

const HEADER = /^\s*(?:\[?[a-z]{4,7}\]?:?\s+)?OpenAI Codex v\d/i;
const OWN =
  /^\s*(?:ERROR:|stream error:|\d{4}-\d\d-\d\dT\S{8,24}\s+ERROR |thread '|memory allocation of |fatal runtime error)/;
const HEADING = /^\s*(?:exec|codex|user|thinking|tokens used|warning:.*)$/;
