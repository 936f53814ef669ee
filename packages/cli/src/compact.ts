type Compact<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are set. */
export function compact<T extends object>(fields: T): Compact<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Compact<T>;
}
