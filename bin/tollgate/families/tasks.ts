// Loads together the commands that change tasks.

export { run as archive } from '../archive.ts';
export { run as batch } from '../batch.ts';
export { run as budget } from '../budget.ts';
export { run as compare } from '../compare/compare.ts';
export { run as init } from '../init.ts';
export { run as scope } from '../scope.ts';
export { run as answer } from '../supervise/answer.ts';
export { run as supervise } from '../supervise/supervise.ts';
