// Collects the names of all properties in a schema, at any depth, to show which keywords it may use.

/** The names include those of the answer's own properties. */
export function namesIn(schema: Record<string, unknown>): ReadonlySet<string> {
  const names = new Set<string>();
  const queue: unknown[] = [schema];
  while (queue.length > 0) {
    const value = queue.pop();
    if (value === null || typeof value !== 'object') continue;
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name);
      queue.push(inner);
    }
  }
  return names;
}
