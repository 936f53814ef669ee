import type { IncomingMessage } from "node:http";
import { type Clock, deadline } from "@capstan/flow";
import { CapstanError, isCapstanError, messageOf, type Repository, withoutUserinfo } from "@capstan/model";
import { exchange, innerRefusal, isInnerHost, isOwn, readAnswer } from "@capstan/outbound";
import { proxyVariables } from "./repository-proxy.ts";
import type { UnreachableHosts } from "./unreachable-hosts.ts";

export interface HttpGetOptions {
  /** Whose credentials and TLS settings are used; they go to its own scheme, host and port only. */
  repository: Repository;
  /**
   * Sends the repository's own credentials also where the address leads at first (helm.passCredentials): never where
   * a redirect leads, and never those of a template, which are meant for the addresses that it names.
   */
  passCredentials?: boolean;
  clock: Clock;
  signal: AbortSignal;
  timeoutMs: number;
  maxBytes: number;
  headers?: Readonly<Record<string, string>>;
  /** home: redirects lead nowhere but to the repository's own scheme, host and port. Default anywhere. */
  redirects?: "anywhere" | "home";
  /** Asks by POST, with this body; then no redirect is followed. */
  post?: string;
  /** Of all who ask: a host that does not answer is not asked by each. */
  hosts?: UnreachableHosts;
  /** Only where the answer comes from is wanted, and its status. */
  withoutBody?: boolean;
}

export interface HttpAnswer {
  /** Where it came from in the end. */
  readonly from: URL;
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

const maxRedirects = 5;

/** The body of a URL; failures are those of the repository. */
export async function httpGet(url: string, options: HttpGetOptions): Promise<Buffer> {
  const { status, body } = await httpAsk(url, options);
  if (status === 200) return body;
  throw httpFailure(status, url, options.repository);
}

/** Whatever a URL answers, redirects followed; rejects only where it does not answer, or too much. */
export async function httpAsk(url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  const ask = () => askOnce(url, options);
  return options.hosts ? options.hosts.ask({ ...options.repository, at: url }, ask) : ask();
}

async function askOnce(url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  const { clock, signal, timeoutMs, repository } = options;
  const unreachable = (problem: string, cause?: unknown) => {
    const facts = {
      repository: withoutUserinfo(repository.url),
      problem: `${withoutUserinfo(url)}${problem}`,
    };
    return new CapstanError({ code: "REPOSITORY_UNREACHABLE", ...facts }, cause);
  };
  const late = () => unreachable(` gave no answer within ${timeoutMs / 1000} s`);
  using limited = deadline({ clock, signal, ms: timeoutMs, late });
  try {
    return await follow(url, { ...options, signal: limited.signal });
  } catch (error) {
    limited.signal.throwIfAborted();
    if (isCapstanError(error)) throw error;
    throw unreachable(`: ${messageOf(error)}`, error);
  }
}

async function follow(url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  let target = new URL(url);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const mayPass = options.passCredentials === true && options.repository.inheritedCreds !== true;
    const own = ownOrigin(options.repository.url, url);
    const isTrusted = isOwn(target, own) || (mayPass && redirects === 0);
    // A repository elsewhere may name others, as indexes and redirects do, but none on this machine.
    const isGuarded = !isOwn(target, own) && !isInnerHost(own);
    if (isGuarded && isInnerHost(target)) throw innerRefusal(target.host);
    if (redirects > 0 && options.redirects === "home" && !isOwn(target, own))
      throw new Error(
        `it leads to ${withoutUserinfo(target.href)}, at another host, and is not followed there. If that is right, write the address to which it leads`,
      );
    const isOwnHost = target.hostname === own.hostname;
    const response = await send(target, options, { isTrusted, isGuarded, isOwnHost });
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined && options.post === undefined) {
      response.resume();
      target = new URL(location, target);
      continue;
    }
    if (options.withoutBody) response.destroy();
    const body = options.withoutBody ? Buffer.alloc(0) : await readBody(response, target, options);
    return { status, headers: response.headers, body, from: target };
  }
  throw new Error(`more than ${maxRedirects} redirects`);
}

async function send(
  url: URL,
  options: HttpGetOptions,
  { isTrusted, isGuarded, isOwnHost }: { isTrusted: boolean; isGuarded: boolean; isOwnHost: boolean },
): Promise<IncomingMessage> {
  const { repository, signal, headers: given = {}, post } = options;
  const { username = "", password, tlsClientCertData: cert, tlsClientCertKey: key, insecure } = repository;
  const { authorization, ...open } = given;
  const basic =
    password === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const credentials = isTrusted ? (authorization ?? basic) : undefined;
  return exchange(url, {
    method: post === undefined ? "GET" : "POST",
    headers: { ...open, ...(credentials === undefined ? {} : { authorization: credentials }) },
    body: post,
    tls: {
      ...(isTrusted ? { cert, key } : {}),
      insecure,
      ca: isOwnHost ? repository.tlsAuthorities : undefined,
    },
    proxy: await proxyVariables(repository),
    isGuarded,
    signal,
  });
}

function readBody(response: IncomingMessage, url: URL, { maxBytes }: HttpGetOptions): Promise<Buffer> {
  const file = `${url.origin}${url.pathname}`;
  const tooLarge = (bytes: number) =>
    new CapstanError({ code: "FILE_TOO_LARGE", file, bytes, limitBytes: maxBytes });
  return readAnswer(response, { maxBytes, tooLarge });
}

/** Of a registry, whose address has no scheme of HTTP, that of the first request. */
function ownOrigin(repository: string, asked: string): URL {
  return new URL(/^https?:\/\//i.test(repository.trim()) ? repository.trim() : asked);
}

export function httpFailure(status: number, url: string, repository: Repository): CapstanError {
  const shown = withoutUserinfo(repository.url);
  if (status === 401 || status === 403)
    return new CapstanError({ code: "REPOSITORY_AUTH", repository: shown, problem: `HTTP status ${status}` });
  if (status === 404) return new CapstanError({ code: "REPOSITORY_MISSING", repository: shown });
  return new CapstanError({
    code: "REPOSITORY_UNREACHABLE",
    repository: shown,
    problem: `${withoutUserinfo(url)}: HTTP status ${status}`,
  });
}
