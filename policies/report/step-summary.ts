// Makes a Markdown page safe for a viewer that reads HTML and fetches pictures: a model's text is only shown.

import { visible } from '../text/visible-text.ts';

export const stepSummary = (page: string): string => visible(page).replaceAll('<', '&lt;').replaceAll('![', '!\\[');
