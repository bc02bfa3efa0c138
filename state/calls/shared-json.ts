// JSON of objects of which the larger part is one that many have in common: the entries of a batch's calls name all its tasks.

const texts = new WeakMap<object, string>();

/** Of both together. @param common nobody may change it, since it is put into words once. */
export function jsonWith(own: object, common: object): string {
  const text = texts.get(common) ?? JSON.stringify(common);
  texts.set(common, text);
  return `${JSON.stringify(own).slice(0, -1)},${text.slice(1)}`;
}
