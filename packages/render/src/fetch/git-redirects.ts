import { BoundedMap, type Clock } from "@capstan/flow";
import { withoutEndSlashes } from "@capstan/formats";
import { CapstanError, isCapstanError, type Repository, withoutUserinfo } from "@capstan/model";
import { httpAsk } from "./http-get.ts";

const asked = "/info/refs";

/** The address at which a repository over HTTP tells what it has. */
export function refsQuestion(url: string): string {
  return `${withoutEndSlashes(url)}${asked}?service=git-upload-pack`;
}

/**
 * Where repositories over HTTP lead. Git itself follows no answer: it would go to whatever address stands there, on
 * this machine too, which no project's rules permit. What is followed stays at the repository's own scheme, host and
 * port, as where GitLab adds ".git" and GitHub knows a former name.
 */
export class GitRedirects {
  readonly #options: { clock: Clock; timeoutMs: number };
  readonly #known = new BoundedMap<string>(10_000);

  constructor(options: { clock: Clock; timeoutMs: number }) {
    this.#options = options;
  }

  /** The address to which a repository's led when it was asked last. */
  end(repository: Repository): string {
    const url = repository.url.trim();
    return this.#known.get(url) ?? url;
  }

  /** Asks the repository's address, and once more where it leads. */
  async following<Value>(
    repository: Repository,
    ask: (url: string) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const url = repository.url.trim();
    const known = this.#known.get(url);
    try {
      return await ask(known ?? url);
    } catch (error) {
      this.#known.delete(url);
      if (!isRedirect(error)) throw error;
      const end = await this.#follow(repository, signal);
      if (end === known) throw error;
      this.#known.set(url, end);
      return ask(end);
    }
  }

  async #follow(repository: Repository, signal: AbortSignal): Promise<string> {
    const url = repository.url.trim();
    const options = { ...this.#options, repository, signal, maxBytes: 0 };
    const { from } = await httpAsk(refsQuestion(url), { ...options, redirects: "home", withoutBody: true });
    if (from.pathname.endsWith(asked)) {
      from.pathname = from.pathname.slice(0, -asked.length);
      from.search = "";
      return from.href;
    }
    const problem = `it leads to ${withoutUserinfo(from.href)}, which is no git repository`;
    throw new CapstanError(
      { code: "REPOSITORY_MISSING", repository: withoutUserinfo(url) },
      new Error(problem),
    );
  }
}

function isRedirect(error: unknown): boolean {
  if (!isCapstanError(error) || error.failure.code !== "TOOL_FAILED") return false;
  return /returned error: 30[12378]\b/.test(error.failure.stderr);
}
