import { ValuesByKey } from "@capstan/flow";

interface Watched {
  readonly server: string;
  readonly namespace: string;
}

/** Which applications want to know of objects that nobody has, by the namespace that they deploy to. */
export class OrphanWatchers {
  readonly #apps = new ValuesByKey<string>();
  readonly #places = new Map<string, string>();

  set(app: string, watched: Watched | undefined): void {
    const place = watched && placeOf(watched);
    const before = this.#places.get(app);
    if (before === place) return;
    if (before !== undefined) this.#remove(app, before);
    if (place === undefined) return;
    this.#places.set(app, place);
    this.#apps.add(place, app);
  }

  /** undefined: none. */
  of(watched: Watched): Iterable<string> | undefined {
    if (this.#apps.size === 0) return undefined;
    const place = placeOf(watched);
    return this.#apps.has(place) ? this.#apps.of(place) : undefined;
  }

  #remove(app: string, place: string): void {
    this.#apps.remove(place, app);
    this.#places.delete(app);
  }
}

function placeOf({ server, namespace }: Watched): string {
  return `${namespace} ${server}`;
}
