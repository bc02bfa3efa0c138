// Writes a text of any length that never repeats itself: a repetitive one triggers a CLI's loop detector.

/** Exactly `length` characters; begins with `L` and ends with `E`, so that a lost byte at either end is visible. */
export function writeLongText(length: number): string {
  let seed = length;
  let text = 'L';
  while (text.length < length) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${seed.toString(36)}${seed % 13 === 0 ? '.\n' : ' '}`;
  }
  return `${text.slice(0, length - 1)}E`;
}
