// Loads together what a call within limits needs: its admission before it, and its settlement after it.

export { askLimits } from './admission.ts';
export { settleLimits } from './settle-limits.ts';
