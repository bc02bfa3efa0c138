// The refusal of a fleet command: one sentence that says what is wrong and what to do; nothing was paid.

export class FleetRefusal extends Error {}

/** The database cannot be reached now; it may be reachable later. */
export class DatabaseAway extends FleetRefusal {}

/** The machine cannot store what its tasks record, so its worker ends. They continue with the next one. */
export class MachineUnfit extends FleetRefusal {}
