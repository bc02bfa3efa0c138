// The refusal of a fleet command: one sentence that says what is wrong and what to do; nothing was paid.

export class FleetRefusal extends Error {}

/** The database cannot be reached now; it may be reachable later. */
export class DatabaseAway extends FleetRefusal {}
