// Draws small icons in the colour of their text; each is beside a word, or in a button with a name.

const PATHS = {
  gate: 'M4 21V9m0 0h3m-3 0a2 2 0 1 1 0-4 2 2 0 0 1 0 4Zm3-1.2 13-4.3v3L8.500 10M3 21h5',
  now: 'M3 12h4l2.500-7 5 14 2.500-7h4',
  tasks: 'M9 6h12M9 12h12M9 18h12M3.500 6h.01M3.500 12h.01M3.500 18h.01',
  new: 'M12 5v14M5 12h14',
  compare: 'M5 4v16M12 4v16M19 4v16M5 8h7m0 6h7',
  failures:
    'M12 8v5m0 3.500v.01M10.300 3.900 2.400 18a2 2 0 0 0 1.700 3h15.800a2 2 0 0 0 1.700-3L13.700 3.900a2 2 0 0 0-3.400 0Z',
  budgets: 'M4 20V10m5 10V4m5 16v-7m5 7V8',
  sessions: 'M21 12a8 8 0 0 1-8 8H4l1.800-2.700A8 8 0 1 1 21 12Z',
  supervise: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0 0c-3 0-5 2-5 5m5-5c3 0 5 2 5 5M4 4h4M4 4v4m16-4h-4m4 0v4',
  batch: 'm12 3 9 5-9 5-9-5 9-5Zm-9 9 9 5 9-5M3 16l9 5 9-5',
  distill: 'M5 4h9a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3V4Zm12 4h2v12H8M8 9h6m-6 4h6',
  fleet:
    'M12 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0 0v4m0 0H5v4m7-4h7v4M5 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm14 0a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  machine: 'M4 5h16v10H4V5Zm4 15h8m-4-5v5',
  done: 'm5 12.500 4.500 4.500L19 7.500',
  failed: 'M6 6l12 12M18 6 6 18',
  waiting: 'M12 7v5l3.500 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  busy: 'M12 3a9 9 0 1 0 9 9',
  parked: 'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400m0 3v.01',
  stopped: 'M7 7h10v10H7z',
  none: 'M6 12h12',
  copy: 'M9 9h11v11H9V9Zm6 0V4H4v11h5',
  broken: 'M13 3 7 13h5l-1 8 6-11h-5l1-7Z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
