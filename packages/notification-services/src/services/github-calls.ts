import type { OutboundAnswer } from "@capstan/outbound";
import { AnswerError } from "../sending/answer-error.ts";
import { jsonHeaders, recordOf } from "../sending/json.ts";
import type { Ask } from "../sending/tools.ts";

interface GithubAccess {
  readonly ask: Ask;
  readonly token: () => Promise<string>;
  /** Address of the repository in the API. */
  readonly repository: string;
  readonly signal: AbortSignal;
}

/** Of GitHub's REST API (go-github NewRequest). */
const ofApi = { accept: "application/vnd.github.v3+json", "x-github-api-version": "2022-11-28" };
/** Of a list; GitHub gives thirty of it at a time. */
const mostPages = 30;

/** Requests about one repository. */
export class GithubCalls {
  readonly #access: GithubAccess;

  constructor(access: GithubAccess) {
    this.#access = access;
  }

  /** What a list has, all pages of it. */
  async list(path: string): Promise<readonly unknown[]> {
    const { repository } = this.#access;
    const found: unknown[] = [];
    let next: string | undefined = `${repository}${path}`;
    for (let pages = 0; next !== undefined && pages < mostPages; pages++) {
      const answer = await this.#ask(next, "GET", undefined);
      const items: unknown = JSON.parse(answer.body.toString());
      if (!Array.isArray(items)) throw new AnswerError(answer, { said: "the answer is no list" });
      found.push(...items);
      next = nextPage(answer, repository);
    }
    return found;
  }

  async send(method: "POST" | "PATCH", path: string, body: unknown): Promise<Record<string, unknown>> {
    return recordOf(await this.#ask(`${this.#access.repository}${path}`, method, body));
  }

  async #ask(url: string, method: string, body: unknown): Promise<OutboundAnswer> {
    const { ask, token, signal } = this.#access;
    const headers = {
      ...ofApi,
      ...(body === undefined ? {} : jsonHeaders),
      authorization: `token ${await token()}`,
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await ask(url, { method, headers, ...sent }, signal);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const { message } = recordOf(answer);
    throw new AnswerError(answer, typeof message === "string" ? { said: message } : {});
  }
}

/** RFC 8288; never at another address, which would get the token. */
function nextPage({ headers, from }: OutboundAnswer, repository: string): string | undefined {
  const [, target] = /<([^<>]+)>;\s*rel="next"/.exec(String(headers.link ?? "")) ?? [];
  if (target === undefined || !URL.canParse(target, from.href)) return undefined;
  const url = new URL(target, from);
  return url.origin === new URL(repository).origin ? url.href : undefined;
}
