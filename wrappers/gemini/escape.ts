// Keeps gemini from acting on a prompt's text: `@path` would send a file's content, a leading `/` or `?` is a command.

/** Works on latin1 text, byte by byte, so that no encoding is touched. An `@` behind a backslash is left alone by the CLI. */
export function escapePrompt(text: string): string {
  const escaped = text.replace(/(?<!\\)@(?=[^ \t\r\n])/g, '\\@');
  return escaped.startsWith('/') || escaped.startsWith('?') ? `\n${escaped}` : escaped;
}
