// Defines the marker that every process of a call has in its environment, by which it can always be found.

import { namesOf } from './passed-variables.ts';

/** The environment variables that carry the marker. */
export const MARKERS: readonly string[] = namesOf('TOLLGATE_CALL_ID');

/** A call made from the tools of another call has both ids: `outer/inner`. */
export function markerOf(callId: string, environment: NodeJS.ProcessEnv): string {
  return environment.TOLLGATE_CALL_ID ? `${environment.TOLLGATE_CALL_ID}/${callId}` : callId;
}

export const markEnvironment = (marker: string): Record<string, string> =>
  Object.fromEntries(MARKERS.map((name) => [name, marker]));

export const markerIn = (environment: NodeJS.ProcessEnv): string | null =>
  MARKERS.map((name) => environment[name]).find((marker) => marker !== undefined && marker !== '') ?? null;

/** The calls from within which we were started, the outermost first. */
export const outerCalls = (environment: NodeJS.ProcessEnv): string[] => markerIn(environment)?.split('/') ?? [];
