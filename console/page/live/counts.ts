// What the rail says beside the name of a view.

import { signal } from '../reactive.ts';

export const counts = signal<Readonly<Record<string, { n: number; what: string }>>>({});
