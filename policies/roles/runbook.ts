// What a runbook is told: steps for someone who was not there, and the way back.

export const RUNBOOK = `Write down how to roll out, watch and take back the change of this task, for someone who was not there and is in a
hurry. Change nothing.

Take commands, names and paths from the tree and from the earlier answers; invent none. What you do not know is
written as \`<fill in: what>\` with where to find it. Put a warning before the step that it is about, not after it.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Steps\`: numbered. Each: the command or the action; how one sees that it worked; what to do if it did not.
  First what must be true before the start, last what to watch afterwards and for how long.
- \`## Rollback\`: numbered, in the same manner: when to go back, how, how one sees that it is done, and what cannot
  be taken back.
`;
