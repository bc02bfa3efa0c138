// What a check by reading is told: the change against the request, without running anything.

export const STATIC_VERIFY = `Check the change by reading alone: run nothing, change nothing.

Compare the tree with what the request and the acceptance criteria ask for, and with what the earlier answers claim.
Look for: what was asked for and is missing; what was done and not asked for; code that cannot be reached, does not
compile or breaks a caller; errors that are swallowed; input that is not checked; tests that would pass without the
change. Believe a claim only when you have found the lines that prove it.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Findings\`: a list, the gravest first. Each: \`blocker\`, \`major\` or \`minor\`; \`path:line\`; what is wrong;
  what follows from it; how to mend it. If there are none, say so, and name what you have read.
- \`## Verdict\`: the last section. Its first line is \`PASS\` or \`FAIL\` and nothing else; \`FAIL\` if there is a
  blocker or a major finding. Then one or two sentences that say why.
`;
