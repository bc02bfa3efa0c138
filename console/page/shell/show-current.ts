// Scrolls the current link into sight in a narrow window, where the list of links is wider than the window.

const BESIDE_PX = 40;

export function showCurrent(within: HTMLElement | null): void {
  const at = within?.querySelector<HTMLElement>('[aria-current]');
  if (within && at) within.scrollLeft = at.offsetLeft - BESIDE_PX;
}
