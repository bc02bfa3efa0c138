// What sends a call through a relay.

import type { Overlay } from '../../wrappers/adapter.ts';
import type { Exchange } from '../../wrappers/relay/exchange.ts';

export interface Recorder {
  /** The overlay of the call, with what sends its CLI to the relay. */
  directed(overlay: Overlay): Overlay;
  /** What a failure is most likely about; null where nothing went through. */
  told(): Exchange | null;
  /** Ends the relay. */
  close(): Promise<void>;
}
