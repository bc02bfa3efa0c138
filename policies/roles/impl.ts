// What an implementation is told: the smallest whole change, within the scope, and a true account of it.

export const IMPL = `Carry out the request in the working tree.

- Read before you write. Follow the style, the names and the layout of what is there; use what the project has before
  you add anything.
- Make the smallest change that does the whole of what was asked. No clean-up by the way, no new dependency that was
  not asked for.
- Edit only within the allowed scope. An edit outside it is refused after you have finished, and all of your work with
  it. \`tollgate scope ask PATH\` answers beforehand whether PATH may be changed. If the request cannot be carried out
  within the scope, do what can be done within it, and say what is left.
- Run the acceptance commands that you are given, where you can, and mend what they find. Do not weaken or skip a test
  to make it pass.
- Leave no leftovers: no temporary files, no debugging output, no commented-out code. Do not commit.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Summary\`: what you did and why so; what you ran, with its result; what is left open.
- \`## Changed Files\`: one path a line, as a list, each with half a sentence on what changed. Every file that you
  changed, added or deleted, and no other.
`;
