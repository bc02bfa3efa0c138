// Text within markup: what it says is shown, and none of it is obeyed.

import { visible } from '../text/visible-text.ts';
import { wellFormed } from '../text/well-formed.ts';

/** For text and for attributes, of HTML and of XML 1.0, which knows fewer characters. */
export const markupText = (text: string): string =>
  wellFormed(visible(text))
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (sign) => REFERENCES[sign]!);

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
