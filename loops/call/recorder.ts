// Routes the requests of a call through a relay, if its CLI supports this. If not, a warning in the record says why.

import { logPlace } from '../../state/api-errors/place.ts';
import { isSystemError } from '../../state/system-error.ts';
import { standAside } from '../../wrappers/relay/reach.ts';
import { startRelay } from '../../wrappers/relay/relay.ts';
import type { BegunCall } from '../attempt/phases.ts';
import type { Recorder } from '../attempt/recorder-of-call.ts';

type Opened = { how: 'opened'; recorder: Recorder } | { how: 'unrecorded'; warning: string };

/** Makes no request to the service. */
export async function openRecorder({ request }: BegunCall, stop: AbortSignal): Promise<Opened> {
  const { adapter, call, charge } = request;
  const without = (why: string) =>
    ({ how: 'unrecorded', warning: `no request is recorded (--record-requests): ${why}` }) as const;
  const place = logPlace(charge?.task ?? null, call.cwd, call.environment);
  if (place.how === 'none')
    return without('a call without a task has a log only where there is a .tmp/state; make it, or give --task');
  const route = (await adapter.route())(call);
  if (route.how === 'fixed') return without(route.because);
  const aside = await standAside(route.upstream, call.environment, stop);
  if (aside !== null) return without(aside);
  try {
    const relay = await startRelay(new URL(route.upstream));
    const directed: Recorder['directed'] = (overlay) => route.through(relay.url, overlay);
    return { how: 'opened', recorder: { directed, exchange: relay.relevantExchange, close: relay.close } };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return without(`the relay could not be started (${error.message})`);
  }
}
