import type { Duplex } from "node:stream";
import { byRendezvous, type Clock } from "@capstan/flow";
import { CapstanError, messageOf } from "@capstan/model";
import type { RepoServer } from "@capstan/wire";
import { type AnyRequest, PassingRepo } from "./passing-repo.ts";
import { RepoConnection } from "./repo-connection.ts";

export interface RepoPoolOptions<Endpoint> {
  /** Those that there are now, by names that stay. */
  endpoints(signal: AbortSignal): Promise<ReadonlyMap<string, Endpoint>>;
  dial(endpoint: Endpoint, signal: AbortSignal): Promise<Duplex>;
  readonly clock: Clock;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** So often it is asked which there are. */
const lookMs = 5_000;
/** One that does not answer is asked again after this time. */
const restMs = 2_000;
/** A call waits so long for one that answers, as for a process that is starting. */
const [patienceMs, waitMs] = [30_000, 200];
/** A call whose server went away is made again at the next; what ends so many does not end all. */
const attempts = 3;

interface Connected {
  readonly repo: RepoConnection;
  isLeaving: boolean;
  /** What its calls fail with that had no answer when it ended. */
  lost: Error | undefined;
}

/**
 * Several repo servers as one. Each repository has its own, found by rendezvous hashing, so that what it has fetched and
 * rendered is there when it is asked for again; when it goes, the next one answers, also what was under way.
 */
export class RepoPool<Endpoint> extends PassingRepo implements RepoServer, AsyncDisposable {
  readonly #options: RepoPoolOptions<Endpoint>;
  readonly #closing = new AbortController();
  readonly #looked: Promise<void>;
  readonly #connections = new Map<string, Promise<Connected>>();
  readonly #restsUntil = new Map<string, number>();
  #endpoints: ReadonlyMap<string, Endpoint> = new Map();
  #problem = "none is known yet";

  constructor(options: RepoPoolOptions<Endpoint>) {
    super();
    this.#options = options;
    this.#looked = this.#keepLooking();
  }

  listPlugins: RepoServer["listPlugins"] = () =>
    this.ask(undefined, (repo) => repo.listPlugins(), this.#closing.signal);

  /** All are told: others than this caller may have asked any of them. */
  forgetRevisions(url: string): void {
    for (const name of this.#endpoints.keys())
      this.#connect(name).then(
        ({ repo }) => repo.forgetRevisions(url),
        () => undefined, // what it knows is known no longer than its interval
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(unavailable("this program is shutting down"));
    for (const connection of this.#connections.values())
      connection.then(
        ({ repo }) => repo.close(),
        () => undefined, // there is none
      );
    await this.#looked;
  }

  protected async ask<Answer>(
    request: AnyRequest | undefined,
    call: (repo: RepoServer) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const limited = AbortSignal.any([signal, this.#closing.signal]);
    for (let attempt = 1; ; attempt += 1) {
      const connected = await this.#first(normalized(request?.repository.url ?? ""), limited);
      try {
        return await call(connected.repo);
      } catch (error) {
        limited.throwIfAborted();
        if (error !== connected.lost || attempt === attempts) throw error;
      }
    }
  }

  /** The first that answers, in the key's own order. */
  async #first(key: string, signal: AbortSignal): Promise<Connected> {
    const { clock } = this.#options;
    const until = clock.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      for (const name of byRendezvous(key, this.#endpoints.keys())) {
        if ((this.#restsUntil.get(name) ?? 0) > clock.now()) continue;
        const found = await this.#connect(name).catch((error: unknown) => {
          this.#problem = messageOf(error);
        });
        if (found && !found.isLeaving) return found;
      }
      if (clock.now() > until) throw unavailable(this.#problem);
      await clock.sleep(waitMs, signal);
    }
  }

  #connect(name: string): Promise<Connected> {
    const known = this.#connections.get(name);
    if (known) return known;
    const begun = this.#begin(name);
    this.#connections.set(name, begun);
    begun.catch((error: unknown) => {
      this.#rest(name, begun);
      this.#options.log.warn({ endpoint: name, error }, "a repo server does not answer");
    });
    return begun;
  }

  async #begin(name: string): Promise<Connected> {
    const endpoint = this.#endpoints.get(name);
    if (!endpoint) throw unavailable(`${name} is no more`);
    const stream = await this.#options.dial(endpoint, this.#closing.signal);
    const lost = (problem = "its connection ended"): Error => {
      connected.lost = unavailable(`${name} ended while it was asked (${problem})`);
      return connected.lost;
    };
    const leaving = (): void => {
      connected.isLeaving = true;
    };
    const repo = new RepoConnection(stream, undefined, { lost, leaving });
    const connected: Connected = { repo, isLeaving: false, lost: undefined };
    repo.over.addEventListener("abort", () => this.#rest(name, this.#connections.get(name)));
    this.#options.log.info({ endpoint: name }, "connected to a repo server");
    return connected;
  }

  /** The next call begins another connection, after a time. */
  #rest(name: string, connection: Promise<Connected> | undefined): void {
    if (this.#connections.get(name) !== connection) return;
    this.#connections.delete(name);
    this.#restsUntil.set(name, this.#options.clock.now() + restMs);
  }

  async #keepLooking(): Promise<void> {
    const { endpoints, clock, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#endpoints = await endpoints(signal);
        if (this.#endpoints.size === 0) this.#problem = "its name stands for no address";
      } catch (error) {
        if (signal.aborted) return;
        this.#problem = messageOf(error);
        if (this.#endpoints.size === 0) log.warn({ error }, "repo servers are not found");
      }
      const pauseMs = this.#endpoints.size === 0 ? waitMs * 5 : lookMs;
      await clock.sleep(pauseMs, signal).catch(() => undefined); // it is closing
    }
  }
}

/** Ways to write one address. */
function normalized(url: string): string {
  return url
    .toLowerCase()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
}

function unavailable(problem: string): CapstanError {
  return new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem });
}
