// Defines the input templates of a new task, and removes unfilled placeholders so that they never reach a prompt.

/** The templates by name in `inputs/`. Comments, which Markdown does not show, say what to fill in. */
export const INPUT_TEMPLATES = {
  'user_request.md': `# Request

<!-- The request, in the words of its author. -->

## Non-goals

<!-- Related work that is out of scope. -->

## Fixed decisions

<!-- Decisions that are final. -->

## Acceptance

<!-- How it will be seen that the request is met. -->
`,
  'context_pack.md': `# Context

<!-- What the stages should know and cannot easily find out: where to look, what was tried, what must not break. -->
`,
} as const satisfies Record<string, string>;

/**
 * Returns the text without the template's own comments, and without its headings that are then empty. Other comments are the
 * user's text and remain, for a request may be about one. If nothing is removed, the text is the same byte for byte.
 */
export function filledIn(text: string, name: keyof typeof INPUT_TEMPLATES): string {
  const template = linesOf(INPUT_TEMPLATES[name]);
  const lines = linesOf(text);
  const gone = new Set(lines.flatMap((line, i) => (isPlaceholder(line, template) ? [i] : [])));
  const isEmpty = (from: number, to: number) =>
    lines.slice(from, to).every((line, i) => gone.has(from + i) || line.trim() === '');
  // Starts at the end, because a heading is empty if those below it are empty.
  for (let from = lines.length - 1; from >= 0; from--)
    if (
      levelOf(lines[from]!) !== null &&
      template.includes(lines[from]!.trimEnd()) &&
      isEmpty(from + 1, endOf(lines, from))
    )
      gone.add(from);
  return gone.size === 0 ? text : lines.filter((_, i) => !gone.has(i)).join('\n');
}

const isPlaceholder = (line: string, template: readonly string[]): boolean =>
  line.trim().startsWith('<!--') && template.includes(line.trim());

const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\u2028\u2029]/);

/** The template marks its headings with `#` only. */
const levelOf = (line: string): number | null => /^(#{1,6})\s/.exec(line)?.[1]?.length ?? null;

/** The line after the end of the section that begins at `from`. */
function endOf(lines: readonly string[], from: number): number {
  const level = levelOf(lines[from]!)!;
  const next = lines.findIndex((line, i) => i > from && (levelOf(line) ?? Number.POSITIVE_INFINITY) <= level);
  return next === -1 ? lines.length : next;
}
