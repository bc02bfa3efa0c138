// What a verification is told: each acceptance criterion, met or not, with the proof.

export const VERIFY = `Judge whether the acceptance criteria are met by the tree as it is now. Change nothing.

Go through the criteria one by one, and through the claims of the earlier answers. Look at the tree itself, and run
what you are allowed to run; a claim is no proof. The acceptance commands are run after your answer, whatever you say:
do not guess what they will give. If no criteria are given, take the goal and the request as the criteria.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Findings\`: one entry for each criterion: the criterion; \`met\`, \`not met\` or \`not checked\`; the proof
  (\`path:line\`, or a command with what it printed). Then whatever else is wrong, the gravest first.
- \`## Verdict\`: the last section. Its first line is \`PASS\` or \`FAIL\` and nothing else; \`FAIL\` if any criterion
  is not met or was not checked. Then one or two sentences that say why.
`;
