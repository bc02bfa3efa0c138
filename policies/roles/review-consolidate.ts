// What a consolidation is told: one review of several, each finding once, and the quarrels named.

export const REVIEW_CONSOLIDATE = `Make one review of the several that stand below as earlier answers. Change nothing.

Merge findings that mean the same thing, and say which stages found it. Check each one in the tree before you keep it:
what you cannot confirm is dropped or called a suspicion, however many said it. Where reviewers differ in the facts or
in the gravity, look yourself and decide. Add a finding of your own only if it is a blocker.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Findings\`: a list, the gravest first. Each: \`blocker\`, \`major\` or \`minor\`; \`path:line\`; what is wrong;
  how to mend it; the stages that found it. If there are none, say so.
- \`## Disagreements\`: where the reviews differ: who says what, what you decided and on what proof; findings that
  were dropped, and why. If they agree, say so.
- \`## Verdict\`: the last section. Its first line is \`PASS\` or \`FAIL\` and nothing else; \`FAIL\` if there is a
  blocker or a major finding. Then one or two sentences that say why.
`;
