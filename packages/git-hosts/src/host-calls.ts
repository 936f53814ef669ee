import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { BoundedMap, type Clock, Listeners, SharedCalls } from "@capstan/flow";
import { type OutboundAnswer, outbound, type ProxyVariables, type TlsSettings } from "@capstan/outbound";
import { HostError } from "./host-error.ts";
import { pauseOf } from "./rate-limits.ts";

/** How new answers have to be, and until when they are waited for. */
export interface Look {
  readonly signal: AbortSignal;
  /** What was answered at this time or later is not asked for again; milliseconds since 1970. */
  readonly notBeforeMs: number;
  /** For whom it is asked, where that is counted. */
  readonly asker?: HostAsker | undefined;
}

export interface HostAsker {
  readonly namespace: string;
  readonly name: string;
}

/** One request that a host was sent, and what came of it. */
export interface HostCall {
  readonly site: Pick<HostSite, "name" | "base">;
  readonly asker: HostAsker | undefined;
  readonly method: string;
  readonly url: string;
  /** 0: there was no answer. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly ms: number;
}

/** One server, as whoever the headers say. */
export interface HostSite {
  /** For people: GitHub, GitLab. */
  readonly name: string;
  /** Without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: TlsSettings | undefined;
  readonly proxy?: ProxyVariables | undefined;
  readonly guarded: boolean;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Question {
  /** For people, if there is none: "repository a/b". */
  readonly what: string;
  readonly query?: Query;
  readonly look: Look;
}

/** What is sent to change something. */
export interface Change {
  /** For people, if there is none: "repository a/b". */
  readonly what: string;
  readonly body?: unknown;
  /** Default POST. */
  readonly method?: "POST" | "PUT" | "PATCH";
  readonly signal: AbortSignal;
}

export interface HostAnswer {
  /** 2xx, or 404. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As JSON; undefined where there is none. */
  readonly body: unknown;
}

interface Kept {
  readonly answer: HostAnswer;
  readonly atMs: number;
  /** Of the body as it came. */
  readonly bytes: number;
}

interface Sent {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly asker?: HostAsker | undefined;
}

/** What stands for a credential, until a time in milliseconds since 1970. */
export interface KeptToken {
  readonly token: string;
  readonly untilMs: number;
}

const timeoutMs = 30_000;
const maxBytes = 16 * 2 ** 20;
/** Of the bodies of all kept answers together, as they came. */
const keptBytes = 32 * 2 ** 20;
const entryBytes = 1_000;
const mostSites = 1_000;
const mostStarted = 10_000;

/**
 * What all sets ask hosts for goes by here: equal requests at one time are one, a kept answer is asked for only whether
 * it still holds, and a host that wants to be left alone is.
 */
export class HostCalls {
  readonly clock: Clock;
  readonly #kept = new BoundedMap<Kept>(keptBytes);
  readonly #running = new SharedCalls<HostAnswer>();
  /** When what runs, or has run last, was asked. */
  readonly #startedMs = new BoundedMap<number>(mostStarted);
  readonly #tokens = new BoundedMap<KeptToken>(mostSites);
  readonly #issuing = new SharedCalls<KeptToken>();
  readonly #listeners: Listeners<[HostCall]>;
  /** When a host may be asked again, by whom it knows. */
  readonly #pauses = new BoundedMap<{ untilMs: number }>(mostSites);

  /** Of the process: what AWS is asked with. */
  readonly env: Readonly<Record<string, string | undefined>>;

  /** `report`: a listener has thrown. */
  constructor(
    clock: Clock,
    env: Readonly<Record<string, string | undefined>> = {},
    report: (error: unknown) => void = endProcess,
  ) {
    this.clock = clock;
    this.env = env;
    this.#listeners = new Listeners(report);
  }

  /** Called for each request that was sent. Returns what ends it. */
  onCall(listener: (call: HostCall) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Rejects with a HostError for every status beside 2xx. */
  async get(site: HostSite, path: string, { what, query = {}, look }: Question): Promise<HostAnswer> {
    const answer = await this.#look(site, addressOf(site, path, query), look);
    if (answer.status === 404) throw missing(site, what);
    return answer;
  }

  /** Sends a body as JSON, or nothing; nothing of it is kept. Rejects with a HostError for every status beside 2xx. */
  async post(
    site: HostSite,
    path: string,
    { what, body, method = "POST", signal }: Change,
  ): Promise<HostAnswer> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = { method, headers, body: body === undefined ? "" : JSON.stringify(body), signal };
    const answer = this.#judge(site, await this.#send(site, addressOf(site, path, {}), sent));
    if (answer.status === 404) throw missing(site, what);
    return answer;
  }

  /** A token that is asked for once for all, in memory alone. */
  async keepToken(
    site: HostSite,
    { identity, make }: { identity: readonly string[]; make: (signal: AbortSignal) => Promise<KeptToken> },
    signal: AbortSignal,
  ): Promise<string> {
    const key = digest([site.base, identity]);
    const kept = this.#tokens.get(key);
    if (kept && kept.untilMs > this.clock.now()) return kept.token;
    const made = await this.#issuing.join(key, make, signal);
    this.#tokens.set(key, made);
    return made.token;
  }

  async #look(site: HostSite, url: string, look: Look): Promise<HostAnswer> {
    const key = digest([url, site.headers, site.tls ?? {}, site.guarded]);
    const kept = this.#kept.get(key);
    if (kept && kept.atMs >= look.notBeforeMs) return kept.answer;
    const last = this.#startedMs.get(key);
    const startedMs = last !== undefined && last >= look.notBeforeMs ? last : this.clock.now();
    this.#startedMs.set(key, startedMs);
    const { asker } = look;
    const ask = (signal: AbortSignal) => this.#ask({ site, url, key, asker }, signal);
    return this.#running.join(`${key} ${startedMs}`, ask, look.signal);
  }

  async #ask(
    { site, url, key, asker }: { site: HostSite; url: string; key: string; asker: HostAsker | undefined },
    signal: AbortSignal,
  ): Promise<HostAnswer> {
    const kept = this.#kept.get(key);
    const etag = kept?.answer.headers.etag;
    const headers = etag === undefined ? {} : { "if-none-match": etag };
    const atMs = this.clock.now();
    const answer = await this.#send(site, url, { headers, signal, asker });
    const isSame = kept !== undefined && answer.status === 304;
    const found = isSame ? kept.answer : this.#judge(site, answer);
    const bytes = isSame ? kept.bytes : answer.body.length;
    this.#kept.set(key, { answer: found, atMs, bytes }, bytes + entryBytes);
    return found;
  }

  async #send(site: HostSite, url: string, { headers, asker, ...rest }: Sent): Promise<OutboundAnswer> {
    const { tls, proxy, guarded } = site;
    const whom = digest([site.base, site.headers]);
    const pause = this.#pauses.get(whom);
    if (pause && pause.untilMs > this.clock.now()) throw pausedError(site, pause.untilMs);
    const sent = { headers: { accept: "application/json", ...site.headers, ...headers }, ...rest };
    const way = { tls, proxy, guarded, redirects: "home", timeoutMs, maxBytes, clock: this.clock } as const;
    const answer = await this.#told({ site, asker, method: rest.method ?? "GET", url }, () =>
      outbound(url, { ...sent, ...way }),
    );
    const untilMs = pauseOf(answer, this.clock.now());
    if (untilMs !== undefined) this.#pauses.set(whom, { untilMs });
    if (untilMs !== undefined && answer.status >= 400) throw pausedError(site, untilMs);
    return answer;
  }

  async #told(
    call: Pick<HostCall, "site" | "asker" | "method" | "url">,
    ask: () => Promise<OutboundAnswer>,
  ): Promise<OutboundAnswer> {
    const from = this.clock.now();
    const tell = (status: number, headers: IncomingHttpHeaders) =>
      this.#listeners.tell({ ...call, status, headers, ms: this.clock.now() - from });
    try {
      const answer = await ask();
      tell(answer.status, answer.headers);
      return answer;
    } catch (error) {
      tell(0, {});
      throw error;
    }
  }

  #judge(site: HostSite, { status, headers, body }: OutboundAnswer): HostAnswer {
    const isAnswer = (status >= 200 && status < 300 && status !== 203) || status === 404;
    if (!isAnswer) throw new HostError(`${at(site)} answers ${status}${meaningOf(status)}`);
    return { status, headers, body: readJson(site, body, status) };
  }
}

/** As what is caught nowhere does. */
function endProcess(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** For people, without what an address may hold beside its host. */
export function at({ name, base }: Pick<HostSite, "name" | "base">): string {
  return `${name} at ${URL.canParse(base) ? new URL(base).host : "an address that is none"}`;
}

function missing(site: HostSite, what: string): HostError {
  const message = `${at(site)} knows no ${what}, or does not show it with this credential`;
  return new HostError(message, { isMissing: true });
}

function pausedError(site: HostSite, untilMs: number): HostError {
  const until = new Date(untilMs).toISOString();
  return new HostError(
    `${at(site)} takes no more requests with this credential: it is not asked again before ${until}`,
    { retryAtMs: untilMs },
  );
}

function meaningOf(status: number): string {
  // Azure DevOps shows its page for logging in with 203, GitHub what is private as missing.
  if (status === 401 || status === 203) return ": the credential is missing or does not count there";
  if (status === 403) return ": the credential has no right to this";
  if (status >= 300 && status < 400) return ", a redirect to another address: name that one";
  return "";
}

function readJson(site: HostSite, body: Buffer, status: number): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    if (status === 404) return undefined;
    throw new HostError(`${at(site)} answers something that is no JSON: is this the address of its API?`);
  }
}

function addressOf({ base }: HostSite, path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
