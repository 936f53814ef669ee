import { hash } from "node:crypto";
import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { CapstanError, type Repository, readRepositoryAddress, withoutUserinfo } from "@capstan/model";
import { isOwn } from "@capstan/outbound";
import { authorizationOf } from "./git-credentials.ts";
import { type HttpAnswer, type HttpGetOptions, httpAsk } from "./http-get.ts";
import type { LfsPointer } from "./lfs-pointer.ts";

/** Where a file's content lies, as the server says. */
export interface LfsDownload {
  readonly href: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LfsServerOptions {
  /** With its password or token. */
  repository: Repository;
  /** Where its address leads to. */
  url: string;
  /** `lfs.url` of the file .lfsconfig. */
  configured?: string;
  clock: Clock;
  timeoutMs: number;
}

/** Git LFS's own client sends as many. */
export const objectsAtOnce = 100;
const mediaType = "application/vnd.git-lfs+json";
const maxAnswerBytes = 4 * 2 ** 20;
const [maxHeaders, maxMessage, maxFailureBytes] = [20, 300, 2 ** 16];
/** Of the connection and not of the request, or of a proxy: not a server's to say. */
const notTheirs =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

/**
 * The server that keeps a repository's large files, by its batch API with the transfer "basic".
 * https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
 */
export class LfsServer {
  readonly #options: LfsServerOptions;
  readonly #endpoint: string;

  /** Throws where the repository's address, or what .lfsconfig says, is none that is asked. */
  constructor(options: LfsServerOptions) {
    this.#options = options;
    this.#endpoint = endpointOf(options);
  }

  /** Where each of the contents is to be had, or why it is not. */
  async find(
    pointers: readonly LfsPointer[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, LfsDownload | Error>> {
    const { repository } = this.#options;
    const question = {
      operation: "download",
      transfers: ["basic"],
      objects: pointers.map(({ oid, size }) => ({ oid, size })),
      hash_algo: "sha256",
    };
    const answer = await httpAsk(`${this.#endpoint}/objects/batch`, {
      ...this.#asking(signal),
      repository,
      maxBytes: maxAnswerBytes,
      post: JSON.stringify(question),
      headers: { accept: mediaType, "content-type": mediaType, ...authorizationOf(repository) },
    });
    if (answer.status !== 200) throw this.#failure(answer);
    const { transfer = "basic", hash_algo: algorithm = "sha256", objects } = recordOf(answer.body.toString());
    if (transfer !== "basic" || algorithm !== "sha256" || !Array.isArray(objects))
      throw this.#refusal("its answer is none that Git LFS's batch API knows");
    return new Map(pointers.map((pointer) => [pointer.oid, this.#downloadOf(pointer, objects)]));
  }

  /** The content, which is what its pointer says or nothing. */
  async download(pointer: LfsPointer, { href, headers }: LfsDownload, signal: AbortSignal): Promise<Buffer> {
    const { repository } = this.#options;
    const isOwnHost = isOwn(href, new URL(this.#options.url));
    const isAuthorized = headers.authorization !== undefined;
    // What the server gave for this very address goes there, and nothing that is the repository's own.
    const as = isAuthorized && !isOwnHost ? nobody(repository) : repository;
    const answer = await httpAsk(href.href, {
      ...this.#asking(signal),
      repository: as,
      passCredentials: as !== repository,
      maxBytes: Math.max(pointer.size, maxFailureBytes),
      headers: { ...authorizationOf(as), ...headers },
    });
    if (answer.status !== 200) throw this.#failure(answer);
    const { length } = answer.body;
    if (length !== pointer.size)
      throw new Error(`its server gave ${length} bytes, where the pointer says ${pointer.size}`);
    if (hash("sha256", answer.body) !== pointer.oid)
      throw new Error("what its server gave is not what the pointer names: the SHA-256 is another one");
    return answer.body;
  }

  #asking(signal: AbortSignal): Pick<HttpGetOptions, "clock" | "timeoutMs" | "signal"> {
    const { clock, timeoutMs } = this.#options;
    return { clock, timeoutMs, signal };
  }

  #downloadOf({ oid, size }: LfsPointer, objects: readonly unknown[]): LfsDownload | Error {
    const found = objects.find((one) => isRecord(one) && one.oid === oid);
    if (!isRecord(found)) return new Error("its server's answer does not name it");
    if (isRecord(found.error)) {
      const { code, message } = found.error;
      return new Error(`its server says: ${shown(`${message ?? ""}`)} (${Number(code) || "no code"})`);
    }
    if (found.size !== size)
      return new Error(`its server has another size than the ${size} bytes of the pointer`);
    const download = isRecord(found.actions) ? found.actions.download : undefined;
    if (!isRecord(download) || typeof download.href !== "string" || !URL.canParse(download.href))
      return new Error("its server does not say where it is to be had");
    const href = new URL(download.href);
    if (href.protocol !== "https:" && href.protocol !== "http:")
      return new Error(
        `its server leads to an address of the scheme ${shown(href.protocol)}, which is not followed`,
      );
    return { href, headers: headersOf(download.header) };
  }

  #failure({ status, body }: HttpAnswer): Error {
    const { message } = recordOf(body.toString());
    const said = typeof message === "string" ? `: ${shown(message)}` : "";
    if (status === 401 || status === 403)
      return this.#refusal(`it does not let the repository's credentials in (HTTP status ${status}${said})`);
    return this.#refusal(`it answers with HTTP status ${status}${said}`);
  }

  #refusal(problem: string): CapstanError {
    return new CapstanError({
      code: "REPOSITORY_UNREACHABLE",
      repository: withoutUserinfo(this.#options.repository.url),
      problem: `Git LFS at ${withoutUserinfo(this.#endpoint)}: ${problem}`,
    });
  }
}

/** https://github.com/git-lfs/git-lfs/blob/main/docs/api/server-discovery.md */
function endpointOf({ repository, url, configured }: LfsServerOptions): string {
  const refuse = (problem: string) =>
    new CapstanError({
      code: "FAILED_PRECONDITION",
      what: `repository ${withoutUserinfo(repository.url)}`,
      problem,
    });
  if (!/^https?$/.test(readRepositoryAddress(url)?.scheme ?? ""))
    throw refuse("files of Git LFS are fetched over https alone: give the repository's https address");
  const own = withoutEndSlashes(url.trim());
  if (configured === undefined) return `${own.replace(/\.git$/, "")}.git/info/lfs`;
  if (!URL.canParse(configured) || !isOwn(new URL(configured), new URL(own)))
    throw refuse(
      `its file .lfsconfig names ${shown(withoutUserinfo(configured))} as the server of Git LFS, which is not at the repository's own host and is not asked`,
    );
  return withoutEndSlashes(configured);
}

/** The way to the repository, without any of its credentials. */
function nobody({ url, type, project, proxy, noProxy, insecure, tlsAuthorities }: Repository): Repository {
  const ways = { type, project, proxy, noProxy, insecure, tlsAuthorities };
  return { url, ...Object.fromEntries(Object.entries(ways).filter(([, value]) => value !== undefined)) };
}

function headersOf(given: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(isRecord(given) ? given : {}).slice(0, maxHeaders))
    if (typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !notTheirs.test(name))
      headers[name.toLowerCase()] = value;
  return headers;
}

function recordOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {}; // a page of a server that speaks another language
  }
}

/** A stranger's words. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, " ").slice(0, maxMessage);
}
