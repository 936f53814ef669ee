/**
 * Who has used least is served next, however much the others have waiting: start-time fair queuing (Goyal, Vin and
 * Cheng 1996), with what a job took told afterwards.
 */
export class FairQueue<Work extends object> {
  readonly #waiting = new Map<string, Set<Work>>();
  /** Up to where each asker has used its share; those behind the present are forgotten. */
  readonly #used = new Map<string, number>();
  #now = 0;

  add(asker: string, work: Work): void {
    const jobs = this.#waiting.get(asker) ?? new Set();
    this.#waiting.set(asker, jobs.add(work));
  }

  take(): { asker: string; work: Work } | undefined {
    let least: { asker: string; begin: number } | undefined;
    for (const asker of this.#waiting.keys()) {
      const begin = Math.max(this.#used.get(asker) ?? 0, this.#now);
      if (!least || begin < least.begin) least = { asker, begin };
    }
    if (!least) return undefined;
    const [work] = this.#waiting.get(least.asker) ?? [];
    if (work) this.remove(least.asker, work);
    this.#now = least.begin;
    return work && { asker: least.asker, work };
  }

  /** What came of the asker's last job. */
  charge(asker: string, cost: number): void {
    this.#used.set(asker, Math.max(this.#used.get(asker) ?? 0, this.#now) + cost);
    for (const [other, used] of this.#used)
      if (used <= this.#now && !this.#waiting.has(other)) this.#used.delete(other);
  }

  remove(asker: string, work: Work): void {
    const jobs = this.#waiting.get(asker);
    if (jobs?.delete(work) && jobs.size === 0) this.#waiting.delete(asker);
  }
}
