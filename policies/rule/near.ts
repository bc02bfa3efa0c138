// Finds a thing and what is said of it within one sentence, in either order: "credits … depleted", "no … credits left".

const GAP = String.raw`(?:[^\n.;。；！]|\.(?=\S)){0,70}?`;

/** Both are alternatives of a regular expression, in any case of letters, found at the bounds of words. */
export function near(things: string, saying: string): RegExp {
  const thing = String.raw`(?<![\w-])(?:${things})(?![\w-])`;
  const said = String.raw`(?<![\w-])(?:${saying})(?![\w-])`;
  return new RegExp(`${thing}${GAP}${said}|${said}${GAP}${thing}`, 'i');
}
