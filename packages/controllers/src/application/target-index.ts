import { keyOf, keyText, type Manifest } from "@capstan/model";

/** Which applications name an object in git: for objects that carry no tracking metadata, such as CRDs. */
export class TargetIndex {
  readonly #apps = new Map<string, Set<string>>();
  readonly #held = new Map<string, { targets: readonly Manifest[]; ids: readonly string[] }>();

  set(app: string, server: string, targets: readonly Manifest[] | undefined): void {
    const before = this.#held.get(app);
    if (before?.targets === targets) return;
    for (const id of before?.ids ?? []) this.#remove(id, app);
    this.#held.delete(app);
    if (!targets) return;
    const ids = targets.map((target) => `${server} ${keyText(keyOf(target))}`);
    for (const id of ids) this.#add(id, app);
    this.#held.set(app, { targets, ids });
  }

  appsOf(server: string, key: string): Iterable<string> {
    return this.#apps.get(`${server} ${key}`) ?? [];
  }

  #add(id: string, app: string): void {
    const apps = this.#apps.get(id);
    if (apps) apps.add(app);
    else this.#apps.set(id, new Set([app]));
  }

  #remove(id: string, app: string): void {
    const apps = this.#apps.get(id);
    apps?.delete(app);
    if (apps?.size === 0) this.#apps.delete(id);
  }
}
