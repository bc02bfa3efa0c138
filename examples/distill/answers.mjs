// What a model said of the example book, once and for all: the replay service answers with these, in order.

export const ANSWERS = [
  `## A field, and what may be done there

Two short speeches of Abraham Lincoln, sixteen months apart: one at the graves of a battle that was won, one at the beginning of a term whose war was nearly over. Both are about what the living owe.

The first begins with a date and a proposition: a nation was founded on the sentence that all men are created equal, and the war asks whether such a nation can last. To dedicate a part of the field to the dead is fitting; it is said in one line, and left behind at once.

> Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and dedicated to the proposition that all men are created equal.
`,
  `## The turn: who is dedicated to what

"But, in a larger sense": the ceremony is turned around. Words can consecrate nothing, since those who fought have done it already. What is left is not to honour them but to continue: the task before the living is the very cause for which others gave all they had.

The three things asked for stand in one sentence, each larger than the last: that they shall not have died in vain, a new birth of freedom, and a government that does not perish.

> The world will little note, nor long remember what we say here, but it can never forget what they did here.
`,
  `## Four years later: neither party expected this

The second speech declines to boast. Everybody knows how the war goes; nothing is predicted. It asks for the cause instead, and names it in a sentence: slavery was somehow the cause, and one side would rather make war than let the nation survive, the other accept war rather than let it perish.

Then the two sides are set next to each other without a verdict: the same Bible, the same God, prayers that cannot both be answered.

> Both parties deprecated war, but one of them would make war rather than let the nation survive, and the other would accept war rather than let it perish, and the war came.
`,
  `## With malice toward none

If the war is a judgement, then on both; and if it lasts until all that was taken by the lash is paid for, it must still be called just. That is the hardest claim of the book, and the one that makes the ending possible: who shares a debt cannot come as a creditor.

What follows is a list of work, not of victory: to finish, to bind up, to care for the widow and the orphan, and to keep a peace that is just at home and abroad.

> With malice toward none, with charity for all, with firmness in the right as God gives us to see the right, let us strive on to finish the work we are in

<end_of_book>`,
];
