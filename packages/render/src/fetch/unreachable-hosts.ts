import { connect } from "node:net";
import { BoundedMap, type Clock, growingPause } from "@capstan/flow";
import { formatTime } from "@capstan/formats";
import {
  CapstanError,
  isCapstanError,
  messageOf,
  type Repository,
  readRepositoryAddress,
  withoutUserinfo,
} from "@capstan/model";

type Address = NonNullable<ReturnType<typeof readRepositoryAddress>>;

interface Silence {
  /** Of the first try that got no answer. */
  readonly since: number;
  readonly failures: number;
  /** No earlier is it tried again. */
  readonly until: number;
  readonly problem: string;
  isTried: boolean;
}

/** Where connections go: through another proxy it is another way, and with it another silence. */
type Way = Pick<Repository, "url" | "proxy" | "noProxy">;

const pauses = { firstMs: 1_000, longestMs: 60_000 };
const probeMs = 3_000;

/** Words of git, ssh, curl and Node by which nobody answered at the address: not of one repository, but of all there. */
const silent =
  /Could not resolve|Couldn't connect|Failed to connect|Connection (refused|timed out)|No route to host|Network is unreachable|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i;
const late = /no answer within/;

/**
 * Hosts that do not answer. While one is silent, one question at a time is put to it, with growing pauses between; who
 * asks meanwhile is told so at once, and until when. A slow repository is not a silent host: where an answer was only
 * late, a connection decides, so that one repository cannot hold up the others of its host.
 */
export class UnreachableHosts {
  readonly #clock: Clock;
  readonly #silent = new BoundedMap<Silence>(10_000);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `url`: of what is asked, where that is not the repository's own. */
  async ask<Value>(way: Way & { at?: string }, work: () => Promise<Value>): Promise<Value> {
    const address = readRepositoryAddress(way.at ?? way.url);
    if (!address?.host) return work();
    const host = address.port === "" ? address.host : `${address.host}:${address.port}`;
    const key = `${address.scheme}://${host} ${way.proxy ?? ""} ${way.noProxy ?? ""}`;
    const silence = this.#silent.get(key);
    if (silence && (silence.isTried || silence.until > this.#clock.now()))
      throw this.#refusal(way, host, silence);
    if (silence) silence.isTried = true;
    const startedAt = this.#clock.now();
    try {
      const value = await work();
      this.#silent.delete(key);
      return value;
    } catch (error) {
      const problem = await silenceOf(error, { address, proxy: way.proxy });
      if (problem === undefined) this.#silent.delete(key);
      else this.#silent.set(key, this.#next(this.#silent.get(key), { startedAt, problem }));
      throw error;
    } finally {
      const now = this.#silent.get(key);
      if (now) now.isTried = false;
    }
  }

  #next(
    before: Silence | undefined,
    { startedAt, problem }: { startedAt: number; problem: string },
  ): Silence {
    // Of those that asked at once, before it was known, one counts.
    if (before && startedAt < before.until && startedAt < before.since + pauses.firstMs) return before;
    const failures = (before?.failures ?? 0) + 1;
    const until = this.#clock.now() + growingPause(failures, pauses);
    return { since: before?.since ?? startedAt, failures, until, problem, isTried: false };
  }

  #refusal({ url }: Way, host: string, { since, until, problem }: Silence): CapstanError {
    const told = `${host} has not answered since ${formatTime(since)} (${problem})`;
    const facts = { repository: withoutUserinfo(url), problem: told, cachedUntil: formatTime(until) };
    return new CapstanError({ code: "REPOSITORY_UNREACHABLE", ...facts });
  }
}

/** Whether a failure is the refusal to ask: of the host, and to be kept of no repository. */
export function isRefusal(error: unknown): boolean {
  return isCapstanError(error, "REPOSITORY_UNREACHABLE") && error.failure.cachedUntil !== undefined;
}

/** What shows that nobody answers at the address; nothing where the failure is of one repository. */
async function silenceOf(
  error: unknown,
  { address, proxy }: { address: Address; proxy: string | undefined },
): Promise<string | undefined> {
  const said = messageOf(error);
  const found = silent.exec(said)?.[0];
  if (found !== undefined) return found;
  const isLate = late.test(said) || isCapstanError(error, "TIMED_OUT");
  if (!isLate || proxy) return undefined;
  return (await connects(address)) ? undefined : "no connection";
}

const ports: Readonly<Record<string, number>> = { https: 443, http: 80, ssh: 22, git: 9418 };

function connects({ scheme, host: name, port: given }: Address): Promise<boolean> {
  const [host, port] = [name.replace(/^\[|\]$/g, ""), Number(given) || ports[scheme]];
  if (port === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: probeMs });
    const end = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
