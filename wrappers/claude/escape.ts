// Keeps claude from acting on a prompt's text: a leading `/` is a command. Mentions of files are turned off by the overlay.

/** Works on latin1 text, byte by byte, so that no encoding is touched. */
export const escapePrompt = (text: string): string => (text.startsWith('/') ? `\n${text}` : text);
