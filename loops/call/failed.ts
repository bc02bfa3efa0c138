// What only a failed call needs, in one bundle: its verdict, and the log of what the service refused.

export { logApiFailure } from './api-failure.ts';
export { judge } from './judge.ts';
