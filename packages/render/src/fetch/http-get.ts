import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import {
  CapstanError,
  type Clock,
  isCapstanError,
  messageOf,
  type Repository,
  withoutUserinfo,
} from "@capstan/model";

export interface HttpGetOptions {
  /** Whose credentials and TLS settings are used; they go to its own host only. */
  repository: Repository;
  /** Sends the credentials to other hosts too: helm.passCredentials. */
  passCredentials?: boolean;
  clock: Clock;
  signal: AbortSignal;
  timeoutMs: number;
  maxBytes: number;
  headers?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
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
  const { clock, signal, timeoutMs, repository } = options;
  const ended = new AbortController();
  const late = new CapstanError({
    code: "REPOSITORY_UNREACHABLE",
    repository: withoutUserinfo(repository.url),
    problem: `${withoutUserinfo(url)} gave no answer within ${timeoutMs / 1000} s`,
  });
  const timedOut = new AbortController();
  clock.sleep(timeoutMs, ended.signal).then(
    () => timedOut.abort(late),
    () => undefined,
  );
  const both = AbortSignal.any([signal, timedOut.signal]);
  try {
    return await follow(url, { ...options, signal: both });
  } catch (error) {
    both.throwIfAborted();
    if (isCapstanError(error)) throw error;
    const problem = `${withoutUserinfo(url)}: ${messageOf(error)}`;
    throw new CapstanError(
      { code: "REPOSITORY_UNREACHABLE", repository: withoutUserinfo(repository.url), problem },
      error,
    );
  } finally {
    ended.abort();
  }
}

async function follow(url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  let target = new URL(url);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await send(target, options);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      response.resume();
      target = new URL(location, target);
      continue;
    }
    const body = await readBody(response, target, options);
    return { status, headers: response.headers, body };
  }
  throw new Error(`more than ${maxRedirects} redirects`);
}

function send(url: URL, options: HttpGetOptions): Promise<IncomingMessage> {
  const { repository, passCredentials, signal, headers: given = {} } = options;
  const { username = "", password, tlsClientCertData: cert, tlsClientCertKey: key, insecure } = repository;
  const isOwnHost = passCredentials === true || url.host === hostOf(repository.url);
  const { authorization, ...open } = given;
  const own = authorization !== undefined && isOwnHost ? { authorization } : {};
  const isGiven = authorization !== undefined;
  const auth = password !== undefined && isOwnHost && !isGiven ? { auth: `${username}:${password}` } : {};
  const tls = {
    ...(cert !== undefined && key !== undefined && isOwnHost ? { cert, key } : {}),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = { ...auth, ...tls, signal, headers: { "user-agent": "capstan", ...open, ...own } };
    const request = url.protocol === "http:" ? httpRequest(url, sent) : httpsRequest(url, sent);
    request.once("response", resolve).once("error", reject).end();
  });
}

async function readBody(response: IncomingMessage, url: URL, { maxBytes }: HttpGetOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new CapstanError({
        code: "FILE_TOO_LARGE",
        file: withoutUserinfo(url.href),
        bytes,
        limitBytes: maxBytes,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function hostOf(url: string): string {
  return new URL(url.includes("://") ? url : `oci://${url}`).host;
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
