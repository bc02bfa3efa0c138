// Loads together what a failed call needs: the rules that classify it, and the log of API failures.

export { logApiFailure } from './api-failure.ts';
export { classifyOutcome, contextOf } from './classify.ts';
