import { isRecord } from "@capstan/formats";
import type { Repository } from "@capstan/model";
import { httpAsk } from "./http-get.ts";
import type { TokenNeeds } from "./issued-tokens.ts";

export interface IssuerNeeds extends TokenNeeds {
  /** The way there, and what its host is known by. */
  readonly repository: Repository;
  readonly signal: AbortSignal;
}

export interface IssuerRequest {
  /** For people: who is asked. */
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
}

const maxBytes = 256 * 1024;

/** Asks by POST and no redirect, which would carry the proof elsewhere. What the answer says is not told on: it may hold a token. */
export async function askIssuer(
  { name, url, headers = {}, form }: IssuerRequest,
  { repository, clock, timeoutMs, signal }: IssuerNeeds,
): Promise<Record<string, unknown>> {
  const { proxy, noProxy, project, insecure, tlsAuthorities } = repository;
  const isHome = new URL(url).hostname === new URL(repository.url).hostname;
  const way = {
    ...(proxy === undefined ? {} : { proxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
    ...(project === undefined ? {} : { project }),
    // What is known of the repository's host is nothing about another.
    ...(isHome && insecure ? { insecure } : {}),
    ...(isHome && tlsAuthorities !== undefined ? { tlsAuthorities } : {}),
  };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await httpAsk(url, {
    ...{ repository: { url, ...way }, clock, signal, timeoutMs, maxBytes },
    headers: { accept: "application/json", ...(form ? type : {}), ...headers },
    post: form?.toString() ?? "",
  });
  if (answer.status < 200 || answer.status > 299)
    throw new Error(`${name} answers ${answer.status} to the request for a token`);
  const body = readJson(answer.body);
  if (!body) throw new Error(`${name} answers with something other than a token`);
  return body;
}

function readJson(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
