// Escapes text for markup: it is shown, and nothing in it takes effect.

import { visible } from '../text/visible-text.ts';
import { wellFormed } from '../text/well-formed.ts';

/** For text and attributes, in HTML and in XML 1.0, which allows fewer characters. */
export const markupText = (text: string): string =>
  wellFormed(visible(text))
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (sign) => REFERENCES[sign]!);

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
