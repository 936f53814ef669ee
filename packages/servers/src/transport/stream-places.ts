import { CapstanError } from "@capstan/model";

/** Streams, and the like, that are open: each holds a connection and is served with every change. */
export class StreamPlaces {
  readonly #ofUser = new Map<string, number>();
  readonly #what: string;
  readonly #most: { readonly ofAll: number; readonly ofUser: number };
  #all = 0;

  constructor(what: string, most: { readonly ofAll: number; readonly ofUser: number }) {
    this.#what = what;
    this.#most = most;
  }

  /** Throws QUEUE_FULL when the user, or all together, have too many; disposing gives the place back. */
  take(user: string): Disposable {
    const own = this.#ofUser.get(user) ?? 0;
    const { ofAll, ofUser } = this.#most;
    if (own >= ofUser || this.#all >= ofAll)
      throw new CapstanError({
        code: "QUEUE_FULL",
        queue: this.#what,
        limit: own >= ofUser ? ofUser : ofAll,
      });
    this.#ofUser.set(user, own + 1);
    this.#all += 1;
    return { [Symbol.dispose]: () => this.#giveBack(user) };
  }

  #giveBack(user: string): void {
    const left = (this.#ofUser.get(user) ?? 1) - 1;
    this.#all -= 1;
    if (left === 0) this.#ofUser.delete(user);
    else this.#ofUser.set(user, left);
  }
}
