// A manifest that the schema has passed before, as it would make of it: with its defaults, and without the schema's library.

import { manifestDefaults, STAGE_DEFAULTS, SUPERVISE_DEFAULTS } from './manifest-defaults.ts';
import type { GivenManifest } from './manifest-schema.ts';

/** @param given what its file says. */
export function completeManifest(given: object): GivenManifest {
  const { stages = [], supervise, ...said } = given as Partial<GivenManifest>;
  const sections = Object.entries(manifestDefaults()).map(([name, value]) => {
    const own = said[name as keyof typeof said];
    return [name, typeof value === 'object' ? { ...value, ...(own as object | undefined) } : (own ?? value)];
  });
  return {
    ...said,
    ...Object.fromEntries(sections),
    stages: stages.map((stage) => ({ ...STAGE_DEFAULTS, ...stage, fallback: stage.fallback ?? [] })),
    ...(supervise === undefined ? {} : { supervise: completeSupervise(supervise) }),
  } as GivenManifest;
}

function completeSupervise({ worker, reasoner, ...rest }: NonNullable<GivenManifest['supervise']>) {
  const part = (said: object) => ({ timeout_ms: STAGE_DEFAULTS.timeout_ms, ...said });
  return { ...SUPERVISE_DEFAULTS, ...rest, worker: part(worker), reasoner: part(reasoner) };
}
