// Gathers what the commands of a fleet use, so that they load it in one step.

export { checkDatabase, openDatabase } from './database.ts';
export { cancelTask, changeLimits, differences, drainWorkers, fetchedDifferences, resultOf } from './overview.ts';
export { DatabaseAway, FleetRefusal, MachineUnfit } from './refusal.ts';
export { SCHEMA_VERSION } from './schema.ts';
export { setUp, setupText } from './setup.ts';
export { fleetStatus } from './status.ts';
export { submitTasks } from './submit.ts';
export { pushResult } from './travel/push.ts';
export { TravelRefusal } from './travel/refusal.ts';
export { unpackResult } from './travel/result.ts';
export { work } from './worker.ts';
