// The one door to what draws the page: Preact, its hooks, and signals.

export { type ReadonlySignal, signal } from '@preact/signals';
export { type ComponentChildren, render } from 'preact';
export { useEffect, useId, useRef } from 'preact/hooks';
