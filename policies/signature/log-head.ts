// Takes away what a logger puts before each line: the time, and the thread of a CI's log.

/** The line without the time in front, its indentation kept; a line of the engine's own log stays as it is. */
export function withoutLogHead(line: string): string {
  if (!mayHaveHead(line)) return line;
  const head = HEAD.exec(line)?.[0];
  return head === undefined || ENGINE.test(line) ? line : line.slice(head.length);
}

/** A digit, a bracket before a digit, or a month. */
function mayHaveHead(line: string): boolean {
  let at = 0;
  while (at < 8 && line.charCodeAt(at) === 32) at += 1;
  const first = line.charCodeAt(at);
  if (first === 91 || first === 40) return isDigit(line.charCodeAt(at + 1));
  return (
    isDigit(first) || (first > 64 && first < 84 && isDigit(line.charCodeAt(at + 4))) || line.charCodeAt(at + 4) === 32
  );
}

const isDigit = (code: number) => code > 47 && code < 58;

const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`;
const TIME = String.raw`(?:\d{4}[-/]\d\d[-/]\d\d[T ]${CLOCK}(?:Z|\s?[+-]\d\d:?\d\d|\sUTC)?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d ${CLOCK}|${CLOCK})`;
const HEAD = new RegExp(String.raw`^\s{0,8}[[(]?${TIME}[\])]?(?:\s?[|:-](?=\s))?(?:\s|$)`);

/** What codex logs beside its own error, `2026-… ERROR codex_core::…`. */
const ENGINE = /^\s*\S{19,40}\s+(?:ERROR|WARN|INFO|DEBUG|TRACE)\s+\w+::/;
