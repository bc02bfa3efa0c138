// What a call needs that is limited, or learns of a limit, in one bundle: its admission, and what became of it.

export { askLimits } from './admission.ts';
export { takeNearLimits } from './near-limits.ts';
export { settleLimits } from './settle-limits.ts';
