// Collects all HTTP errors that the loopback model API can answer with.

import { ACCESS_REJECTIONS } from './rejections/access.ts';
import { INPUT_REJECTIONS } from './rejections/input.ts';
import { LOAD_REJECTIONS } from './rejections/load.ts';
import type { Rejection } from './rejections/rejection.ts';

export const REJECTIONS = {
  ...ACCESS_REJECTIONS,
  ...LOAD_REJECTIONS,
  ...INPUT_REJECTIONS,
} as const satisfies Record<string, Rejection>;

export type RejectionName = keyof typeof REJECTIONS;
