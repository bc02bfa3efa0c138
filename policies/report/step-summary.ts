// A page in Markdown for a viewer that knows HTML and fetches pictures: what a model wrote in it is shown alone.

import { visible } from '../text/visible-text.ts';

export const stepSummary = (page: string): string => visible(page).replaceAll('<', '&lt;').replaceAll('![', '!\\[');
