// Matches a thing and a statement about it in one sentence, in either order: "credits … depleted", "no … credits left".

const GAP = String.raw`(?:[^\n.;。；！]|\.(?=\S)){0,70}?`;

/** Both are alternatives of a regular expression. They match in any letter case, at word boundaries. */
export function near(things: string, saying: string): RegExp {
  const thing = String.raw`(?<![\w-])(?:${things})(?![\w-])`;
  const said = String.raw`(?<![\w-])(?:${saying})(?![\w-])`;
  return new RegExp(`${thing}${GAP}${said}|${said}${GAP}${thing}`, 'i');
}
