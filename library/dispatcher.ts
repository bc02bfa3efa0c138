// Loads together the functions of the library that need the dispatcher.

export { callNamed, refused } from './call-tool.ts';
export { compareNamed, pickNamed, removeNamedComparison, resumeNamedComparison } from './compare.ts';
export { distillNamed, readBookNamed, resumeNamed } from './distill-book.ts';
export { runNamed, standingOf } from './run-task.ts';
export { answerNamed, superviseNamed } from './supervise-task.ts';
