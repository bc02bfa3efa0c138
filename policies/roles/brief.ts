// What a brief is told: read, decide, and write what the stages after it will work from.

export const BRIEF = `Write the brief from which others will work who cannot ask you anything. You change nothing yourself.

Read the request, then the code it is about. Check what the request says of the code against the code. Where the
request leaves something open, choose the plainest reading, and say that you chose.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Summary\`: what is wanted and why, in at most five sentences.
- \`## Plan\`: numbered steps in the order in which they are done. Each names the files it touches and how one sees
  that it is done. Nothing that was not asked for.
- \`## Updated Context Pack\`: what the later stages need to know and will not be told elsewhere, since this section
  takes the place of the context that you were given: carry over from it what still holds. Under headings of a deeper
  level (\`###\`): the files that matter, each with a line on what is in it; decisions that are fixed; what is not to
  be done (non-goals); traps; what is still open.
- \`## Verification Commands\`: one fenced code block, one shell command a line, nothing else in it. Each command runs
  from the root of the tree without asking anything, ends by itself, and exits 0 only if the work is right. Only
  commands whose tools you have seen in the tree. If there are none, leave the block empty and say why below it.
`;
