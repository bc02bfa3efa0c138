// Loads together the functions of the library that need the dispatcher.

export { callNamed, refused } from './call-tool.ts';
export { runNamed, standingOf } from './run-task.ts';
export { answerNamed, superviseNamed } from './supervise-task.ts';
