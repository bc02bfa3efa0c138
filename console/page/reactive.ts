// Exports everything that draws the page: Preact, its hooks, and signals.

export {
  batch,
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  useComputed,
  useSignal,
} from '@preact/signals';
export { type ComponentChildren, render } from 'preact';
export { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
