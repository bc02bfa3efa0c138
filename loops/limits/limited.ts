// Bundles the parts that a limited call needs: its admission, and its settlement.

export { askLimits } from './admission.ts';
export { takeNearLimits } from './near-limits.ts';
export { settleLimits } from './settle-limits.ts';
