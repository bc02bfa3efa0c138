// Loads together the functions of the library that need the dispatcher.

export { callNamed, refused } from './call-tool.ts';
export { runNamed } from './run-task.ts';
export { standingOf } from './task-standing.ts';
