import { BoundedMap, type Clock } from "@capstan/flow";
import type { Repository } from "@capstan/model";
import { authorizationOf } from "./git-credentials.ts";
import type { GitProgram } from "./git-program.ts";
import { httpAsk } from "./http-get.ts";
import type { IssuedTokens } from "./issued-tokens.ts";

export interface HttpGitOptions {
  git: Pick<GitProgram, "run" | "env">;
  tokens: Pick<IssuedTokens, "complete">;
  dataDir: string;
  clock: Clock;
}

/** One request of git's protocol, and what its answer means. */
export interface HttpGitQuestion<Value> {
  /** Below the repository's. */
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked by POST, with this. */
  readonly post?: string;
  readonly answerType: string;
  readonly maxBytes: number;
  /** Undefined, or rejects: it is not what git's own server answers. */
  read(body: Buffer): Value | undefined | Promise<Value | undefined>;
}

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

/** What it is not answered by once, such as a server without git's protocol, it is hardly answered by the next time. */
const gitOnlyMs = 600_000;
/** Who changes git's settings on this machine waits as long. */
const settingsMs = 60_000;
/** By which some servers tell git from a browser. */
const agent = "git/1.0 (capstan)";

/**
 * Questions to a git server over HTTP that need none of git's programs. An answer counts where it comes as from git's
 * own server, and where git would have asked so on this machine; in all else git is asked, whose words say what is
 * wrong.
 */
export class HttpGit {
  readonly #options: HttpGitOptions;
  /** Whether no settings of this machine tell git to go another way, and until when that counts. */
  #plain = { is: false, until: 0 };
  /** Until when git alone is asked a question, by its address and this clock. */
  readonly #gitOnly = new BoundedMap<number>(10_000);

  constructor(options: HttpGitOptions) {
    this.#options = options;
  }

  /** Undefined: git is to be asked. Rejects where no token is to be had. */
  async ask<Value>(
    url: string,
    question: HttpGitQuestion<Value>,
    asking: Limits & { repository: Repository },
  ): Promise<Value | undefined> {
    const { clock } = this.#options;
    const { address } = question;
    if (!this.#isPlainAddress(url) || (this.#gitOnly.get(address) ?? 0) > clock.now()) return undefined;
    if (!(await this.#asksPlainly(asking))) return undefined;
    const repository = await this.#options.tokens.complete(asking.repository, asking.signal);
    const answer = await this.#askPlainly(question, { ...asking, repository });
    if (answer === undefined) this.#gitOnly.set(address, clock.now() + gitOnlyMs);
    return answer;
  }

  #isPlainAddress(url: string): boolean {
    const names = Object.keys(this.#options.git.env);
    const isTrustGiven = /^https:/i.test(url) && names.some((name) => ofTrust.test(name));
    return plainAddress.test(url) && !isTrustGiven && !names.some((name) => ofProxies.test(name));
  }

  async #askPlainly<Value>(
    { address, headers: given, post, answerType, maxBytes, read }: HttpGitQuestion<Value>,
    { repository, signal, timeoutMs }: Limits & { repository: Repository },
  ): Promise<Value | undefined> {
    const headers = { "user-agent": agent, accept: "*/*", ...given, ...authorizationOf(repository) };
    try {
      const answer = await httpAsk(address, {
        ...{ repository, headers, clock: this.#options.clock, maxBytes, redirects: "home" },
        ...{ signal, timeoutMs, ...(post === undefined ? {} : { post }) },
      });
      // Where it leads elsewhere, git is told the other address from then on (git-redirects.ts).
      const isItself = answer.from.href === new URL(address).href;
      const isGit = answer.status === 200 && answer.headers["content-type"] === answerType;
      return isItself && isGit ? await read(answer.body) : undefined;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  async #asksPlainly(limits: Limits): Promise<boolean> {
    const now = this.#options.clock.now();
    if (this.#plain.until <= now)
      this.#plain = { is: await this.#hasNoOtherWay(limits), until: now + settingsMs };
    return this.#plain.is;
  }

  async #hasNoOtherWay({ signal, timeoutMs }: Limits): Promise<boolean> {
    const { git, dataDir: cwd } = this.#options;
    const list = ["config", "--list", "--name-only", "-z"];
    const { stdout } = await git.run(list, { cwd, signal, timeoutMs });
    const names = stdout.toString().split("\0");
    return names.every((name) => !/^(url|http|protocol)\./.test(name) || own.has(name));
  }
}

/** Without a user, whom git would show to the server, and nothing behind the path. */
const plainAddress = /^https?:\/\/[^@?#\s]+$/i;
/** Variables of the environment that git takes over. */
const ofProxies = /_proxy$/i;
const ofTrust = /^(GIT_SSL|SSL_CERT)_/;
/** That Capstan gives git itself (git-program.ts). */
const own = new Set(["http.lowspeedlimit", "http.lowspeedtime", "http.followredirects", "protocol.version"]);
