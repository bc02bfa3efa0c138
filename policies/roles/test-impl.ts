// What the writing of tests is told: the designed cases, in the project's own manner, and nothing but tests.

export const TEST_IMPL = `Write the tests of this task into the working tree. If a design of the tests is among the earlier answers, write those
cases; else those that the request and the acceptance criteria call for.

- Follow how the project tests already: its runner, its folders, its names, its fixtures.
- A test asserts what was asked for, not what the code happens to do. If the code is wrong, let the test fail, and say
  so; do not change the code to suit the test, nor the test to suit the code.
- No sleeps, no network beyond this machine, no order between tests, nothing left behind.
- Edit only within the allowed scope. An edit outside it is refused after you have finished, and all of your work with
  it. \`tollgate scope ask PATH\` answers beforehand whether PATH may be changed.
- Run the tests where you can. Do not commit.

Your answer has these sections, each under a Markdown heading that is spelt exactly so:

- \`## Summary\`: which cases are written, and which are not and why; what you ran, with its result; what the tests
  found.
- \`## Changed Files\`: one path a line, as a list, each with half a sentence on what it tests. Every file that you
  changed, added or deleted, and no other.
`;
