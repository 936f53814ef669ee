import { ValuesByKey } from "@capstan/flow";
import { keyOf, keyText, type Manifest } from "@capstan/model";

/** Which applications name an object in git: for objects that carry no tracking metadata, such as CRDs. */
export class TargetIndex {
  readonly #apps = new ValuesByKey<string>();
  readonly #held = new Map<string, { targets: readonly Manifest[]; ids: readonly string[] }>();

  set(app: string, server: string, targets: readonly Manifest[] | undefined): void {
    const before = this.#held.get(app);
    if (before?.targets === targets) return;
    for (const id of before?.ids ?? []) this.#apps.remove(id, app);
    this.#held.delete(app);
    if (!targets) return;
    const ids = targets.map((target) => `${server} ${keyText(keyOf(target))}`);
    for (const id of ids) this.#apps.add(id, app);
    this.#held.set(app, { targets, ids });
  }

  appsOf(server: string, key: string): Iterable<string> {
    return this.#apps.of(`${server} ${key}`);
  }
}
