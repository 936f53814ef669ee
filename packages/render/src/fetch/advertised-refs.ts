import { BoundedMap, type Clock } from "@capstan/flow";
import { CapstanError, type Repository } from "@capstan/model";
import { authorizationOf } from "./git-credentials.ts";
import type { GitProgram } from "./git-program.ts";
import { refsQuestion } from "./git-redirects.ts";
import { httpAsk } from "./http-get.ts";
import type { IssuedTokens } from "./issued-tokens.ts";
import { type RemoteRefs, readRemoteRefs } from "./remote-refs.ts";

export interface AdvertisedRefsOptions {
  git: Pick<GitProgram, "run" | "env">;
  tokens: Pick<IssuedTokens, "complete">;
  dataDir: string;
  clock: Clock;
}

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

const service = "git-upload-pack";
const answerType = `application/x-${service}-advertisement`;
/** About 250,000 references, which are read in a quarter of a second; of more, git is asked. */
const maxBytes = 16 * 2 ** 20;
/** What it is not answered by once, such as a server without git's protocol, it is hardly answered by the next time. */
const gitOnlyMs = 600_000;
/** Who changes git's settings on this machine waits as long. */
const settingsMs = 60_000;
/** By which some servers tell git from a browser. */
const agent = "git/1.0 (capstan)";

/**
 * What a remote over HTTP has, by the one request that `git ls-remote` makes for it, without the three programs that it
 * takes. It counts where it is answered as by git's own server, and as git would have asked on this machine; in all
 * else git is asked, whose words say what is wrong.
 * https://git-scm.com/docs/gitprotocol-http#_discovering_references
 */
export class AdvertisedRefs {
  readonly #options: AdvertisedRefsOptions;
  /** Whether no settings of this machine tell git to go another way, and until when that counts. */
  #plain = { is: false, until: 0 };
  /** Until when git alone is asked of an address, by this clock. */
  readonly #gitOnly = new BoundedMap<number>(10_000);

  constructor(options: AdvertisedRefsOptions) {
    this.#options = options;
  }

  /** Undefined: git is to be asked. Rejects with TIMED_OUT, and where no token is to be had. */
  async ask(url: string, repository: Repository, limits: Limits): Promise<RemoteRefs | undefined> {
    const { clock } = this.#options;
    if (!this.#isPlainAddress(url) || (this.#gitOnly.get(url) ?? 0) > clock.now()) return undefined;
    if (!(await this.#asksPlainly(limits))) return undefined;
    const refs = await this.#askPlainly(url, repository, limits);
    if (!refs) this.#gitOnly.set(url, clock.now() + gitOnlyMs);
    return refs;
  }

  #isPlainAddress(url: string): boolean {
    const names = Object.keys(this.#options.git.env);
    const isTrustGiven = /^https:/i.test(url) && names.some((name) => ofTrust.test(name));
    return plainAddress.test(url) && !isTrustGiven && !names.some((name) => ofProxies.test(name));
  }

  async #askPlainly(url: string, given: Repository, limits: Limits): Promise<RemoteRefs | undefined> {
    const { tokens, clock } = this.#options;
    const question = refsQuestion(url);
    const repository = await tokens.complete(given, limits.signal);
    const begun = clock.now();
    try {
      const headers = { "user-agent": agent, accept: "*/*", ...authorizationOf(repository) };
      const answer = await httpAsk(question, {
        ...{ repository, headers, clock, maxBytes, redirects: "home" },
        ...limits,
      });
      // Where it leads elsewhere, git is told the other address from then on (git-redirects.ts).
      const isItself = answer.from.href === new URL(question).href;
      const isGit = answer.status === 200 && answer.headers["content-type"] === answerType;
      return isItself && isGit ? readAdvertisement(answer.body) : undefined;
    } catch (error) {
      limits.signal.throwIfAborted();
      // Git would wait as long once more.
      const { timeoutMs: afterMs } = limits;
      if (clock.now() - begun >= afterMs)
        throw new CapstanError({ code: "TIMED_OUT", what: "git", afterMs }, error);
      return undefined;
    }
  }

  async #asksPlainly(limits: Limits): Promise<boolean> {
    const now = this.#options.clock.now();
    if (this.#plain.until <= now)
      this.#plain = { is: await this.#hasNoOtherWay(limits), until: now + settingsMs };
    return this.#plain.is;
  }

  async #hasNoOtherWay(limits: Limits): Promise<boolean> {
    const { git, dataDir: cwd } = this.#options;
    const { stdout } = await git.run(["config", "--list", "--name-only", "-z"], { cwd, ...limits });
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

/**
 * The references in an answer of the protocol's first version; undefined where it is none, or not all of one.
 * https://git-scm.com/docs/gitprotocol-pack#_reference_discovery
 */
export function readAdvertisement(body: Buffer): RemoteRefs | undefined {
  const [announced, refs, ...more] = sectionsOf(body) ?? [];
  if (announced?.join() !== `# service=${service}` || refs === undefined || more.length > 0) return undefined;
  const [first = "", capabilities = ""] = (refs[0] ?? "").split("\0");
  if (/\bobject-format=(?!sha1\b)/.test(capabilities)) return undefined;
  const lines = [first, ...refs.slice(1)].filter((line) => !/^(shallow |0{40} )/.test(line));
  if (!lines.every((line) => reference.test(line))) return undefined;
  return readRemoteRefs(lines.map((line) => line.replace(" ", "\t")).join("\n"));
}

/** A name holds neither spaces nor what no terminal shows (git check-ref-format). */
const reference = /^[0-9a-f]{40} [^\0-\x20\x7f]+$/;
const lengthBytes = 4;

/** Packets, each with its length before it, up to each flush; undefined where they do not end with one. */
function sectionsOf(body: Buffer): string[][] | undefined {
  const sections: string[][] = [];
  let section: string[] = [];
  for (let at = 0; at < body.length; ) {
    const digits = body.toString("latin1", at, at + lengthBytes);
    if (!/^[0-9a-f]{4}$/.test(digits)) return undefined;
    const length = Number.parseInt(digits, 16);
    if (length === 0) {
      sections.push(section);
      section = [];
      at += lengthBytes;
      continue;
    }
    if (length <= lengthBytes || at + length > body.length) return undefined;
    section.push(body.toString("utf8", at + lengthBytes, at + length).replace(/\n$/, ""));
    at += length;
  }
  return section.length === 0 ? sections : undefined;
}
