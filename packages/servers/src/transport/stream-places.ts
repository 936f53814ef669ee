import { CapstanError } from "@capstan/model";

const maxAll = 4096;
const maxOfUser = 1500;

/** Streams that are open: each holds a connection and is served with every change. */
export class StreamPlaces {
  readonly #ofUser = new Map<string, number>();
  #all = 0;

  /** Throws QUEUE_FULL when the user, or all together, have too many; disposing gives the place back. */
  take(user: string): Disposable {
    const own = this.#ofUser.get(user) ?? 0;
    if (own >= maxOfUser || this.#all >= maxAll)
      throw new CapstanError({
        code: "QUEUE_FULL",
        queue: "streams",
        limit: own >= maxOfUser ? maxOfUser : maxAll,
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
