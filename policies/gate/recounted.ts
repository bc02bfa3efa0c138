// Corrects the line counts in the hunks of a unified diff, because models often miscount them.

/** Returns the same text if all counts are correct. Blank lines at the end of a hunk are not counted as part of it. */
export function recounted(diff: string): string {
  const lines = diff.split('\n');
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const header = HUNK.exec(lines[at]!.slice(0, MAX_HEADER));
    if (header === null) {
      kept.push(lines[at]!);
      at += 1;
      continue;
    }
    const end = endOfHunk(lines, at + 1);
    const body = lines.slice(at + 1, end);
    while (/^\r?$/.test(body.at(-1) ?? 'x')) body.pop();
    const count = (...signs: string[]) => body.filter((line) => signs.includes(line.charAt(0).trim())).length;
    kept.push(
      `@@ -${header[1]},${count('', '-')} +${header[2]},${count('', '+')} @@${lines[at]!.slice(header[0].length)}`,
      ...body,
    );
    at = end;
  }
  const text = kept.join('\n');
  return diff.endsWith('\n') && !text.endsWith('\n') ? `${text}\n` : text;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const MAX_HEADER = 100;

/** A deleted line may look like a file header. A real header has a second line and a hunk below it. */
function endOfHunk(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (!/^(?:[ +\\-]|\r?$)/.test(line)) return at;
    if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') && lines[at + 2]?.startsWith('@@ ')) return at;
  }
  return lines.length;
}
