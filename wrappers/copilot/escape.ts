// Keeps copilot from acting on a prompt's text: one that begins with `/`, after white space of any kind, is a command.

/** Works on latin1 text, so that no encoding is touched. A zero-width space is no white space to the CLI, and nothing to a reader. */
export function escapePrompt(text: string): string {
  const head = Buffer.from(text.slice(0, HEAD), 'latin1').toString('utf8').trimStart();
  return head === '' || head.startsWith('/') ? `${ZERO_WIDTH_SPACE}${text}` : text;
}

/** White space that fills this much may hide a slash behind it. */
const HEAD = 4096;
const ZERO_WIDTH_SPACE = Buffer.from('\u200b').toString('latin1');
