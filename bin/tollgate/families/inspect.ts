// Loads together the commands that only show what has happened.

export { run as report } from '../report.ts';
export { run as trace } from '../trace/trace.ts';
export { run as explain } from '../triage/explain.ts';
export { run as logs } from '../triage/logs.ts';
export { run as signature } from '../triage/signature.ts';
export { run as triage } from '../triage/triage.ts';
export { run as watch } from '../watch/watch.ts';
