import { messageOf } from "@capstan/model";

/** Thrown where a function of templates and expressions asks what has to be fetched first. */
class LackingFact extends Error {
  override readonly name = "LackingFact";
}

/** More questions of one template or trigger than this are not asked. */
const mostQuestions = 20;

type Known<Fact> = { readonly fact: Fact } | { readonly problem: string };

/**
 * Facts from elsewhere for templates and expressions, which cannot wait: what is not known yet is noted, fetched, and
 * the whole is played again. An answer is kept as long as this object.
 */
export class LazyFacts<Fact> {
  readonly #fetch: (question: string, signal: AbortSignal) => Promise<Fact>;
  readonly #known = new Map<string, Known<Fact>>();
  readonly #wanted = new Set<string>();

  constructor(fetch: (question: string, signal: AbortSignal) => Promise<Fact>) {
    this.#fetch = fetch;
  }

  /** Throws what went wrong when it was fetched. */
  get(question: string): Fact {
    const known = this.#known.get(question);
    if (known === undefined) {
      this.#wanted.add(question);
      throw new LackingFact("it is not known yet");
    }
    if ("problem" in known) throw new Error(known.problem);
    return known.fact;
  }

  /** Plays what asks by `get` until it lacks nothing. Rejects with what `play` throws. */
  async played<Result>(play: () => Result, signal: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        const result = play();
        if (this.#wanted.size === 0) return result;
      } catch (error) {
        if (this.#wanted.size === 0) throw error;
      }
      await this.#fetchWanted(signal);
    }
  }

  async #fetchWanted(signal: AbortSignal): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    await Promise.all(
      wanted.map(async (question) => {
        this.#known.set(question, await this.#answer(question, signal));
      }),
    );
  }

  async #answer(question: string, signal: AbortSignal): Promise<Known<Fact>> {
    if (this.#known.size >= mostQuestions)
      return { problem: `more than ${mostQuestions} questions were asked` };
    try {
      return { fact: await this.#fetch(question, signal) };
    } catch (error) {
      signal.throwIfAborted();
      return { problem: messageOf(error) };
    }
  }
}
