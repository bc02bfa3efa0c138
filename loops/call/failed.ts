// Bundles what only a failed call needs: the classifier, and the log of API failures.

export { logApiFailure } from './api-failure.ts';
export { classifyOutcome, contextOf } from './classify.ts';
