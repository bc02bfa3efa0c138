// Checks whether a text is complete JSON; a half-written text is not.

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
