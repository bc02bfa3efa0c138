// Lists all token classes, in the order in which they are tried: what is volatile in an error, and what is significant.

import { FIGURES } from './figure-classes.ts';
import { MARKED } from './marked-classes.ts';
import { NAMES } from './name-classes.ts';
import { PLACES } from './place-classes.ts';
import type { TokenClass } from './token-class.ts';

// The order matters: more specific first. Masking dates before paths, or clock times before IPv6, costs half the accuracy.
export const TOKEN_CLASSES: readonly TokenClass[] = [...MARKED, ...PLACES, ...FIGURES, ...NAMES];
