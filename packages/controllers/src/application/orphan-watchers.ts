interface Watched {
  readonly server: string;
  readonly namespace: string;
}

/** Which applications want to know of objects that nobody has, by the namespace that they deploy to. */
export class OrphanWatchers {
  readonly #apps = new Map<string, Set<string>>();
  readonly #places = new Map<string, string>();

  set(app: string, watched: Watched | undefined): void {
    const place = watched && placeOf(watched);
    const before = this.#places.get(app);
    if (before === place) return;
    if (before !== undefined) this.#remove(app, before);
    if (place === undefined) return;
    this.#places.set(app, place);
    this.#apps.set(place, (this.#apps.get(place) ?? new Set()).add(app));
  }

  of(watched: Watched): ReadonlySet<string> | undefined {
    return this.#apps.size === 0 ? undefined : this.#apps.get(placeOf(watched));
  }

  #remove(app: string, place: string): void {
    const apps = this.#apps.get(place);
    apps?.delete(app);
    if (apps?.size === 0) this.#apps.delete(place);
    this.#places.delete(app);
  }
}

function placeOf({ server, namespace }: Watched): string {
  return `${namespace} ${server}`;
}
