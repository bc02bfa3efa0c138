// What import.meta.url means inside a CommonJS bundle (injected by build.mjs).
import { pathToFileURL } from 'node:url';

export const __bundleUrl = pathToFileURL(__filename).href;
