// Writes a text as one line of a page, and cuts it if it is too long.

export const oneLine = (text: string, max = Number.POSITIVE_INFINITY): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
};
