// On a narrow window the views and the parts of a task go beyond its edge: where one is comes into sight.

const BESIDE_PX = 40;

export function showCurrent(within: HTMLElement | null): void {
  const at = within?.querySelector<HTMLElement>('[aria-current]');
  if (within && at) within.scrollLeft = at.offsetLeft - BESIDE_PX;
}
