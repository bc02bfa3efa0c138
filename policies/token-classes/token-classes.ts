// What is volatile in an error, and what tells: all classes of tokens, in the order in which they are tried.

import { FIGURES } from './figure-classes.ts';
import { MARKED } from './marked-classes.ts';
import { NAMES } from './name-classes.ts';
import { PLACES } from './place-classes.ts';
import type { TokenClass } from './token-class.ts';

// Order is meaning: more specific first. Masking dates before paths, or clock times before IPv6, costs half the accuracy.
export const TOKEN_CLASSES: readonly TokenClass[] = [...MARKED, ...PLACES, ...FIGURES, ...NAMES];
