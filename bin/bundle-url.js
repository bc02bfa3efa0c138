// What import.meta.url means inside a CommonJS bundle (injected by build.mjs); node:url's own maker of it takes half a millisecond.
export const __bundleUrl = `file://${encodeURI(__filename).replace(/[?#]/g, encodeURIComponent)}`;
