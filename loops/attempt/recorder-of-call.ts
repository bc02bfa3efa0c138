// Defines what sends a call through a relay.

import type { Overlay } from '../../wrappers/adapter.ts';
import type { Exchange } from '../../wrappers/relay/exchange.ts';

export interface Recorder {
  /** Adds to the call's overlay what sends its CLI to the relay. */
  directed(overlay: Overlay): Overlay;
  /** The exchange that most likely caused a failure; null if there was none. */
  exchange(): Exchange | null;
  close(): Promise<void>;
}
