import {
  type ImageRule,
  type RegistryEntry,
  readRegistries,
  registryAddress,
  registryOf,
} from "@capstan/engine";
import { BoundedMap, SharedCalls } from "@capstan/flow";
import type { Settings } from "@capstan/kube";
import { CapstanError, isCapstanError, messageOf, withTrust } from "@capstan/model";
import { outbound } from "@capstan/outbound";
import { OciRepository, RegistryPace, type RegistryQuestion } from "@capstan/registries";
import type { RegistryLogin } from "./docker-login.ts";
import { fetchLogin, type PullSecretNeeds } from "./pull-secrets.ts";

export interface RegistryNeeds extends PullSecretNeeds {
  readonly settings: { readonly current: Settings };
}

/** One repository of a registry as one application reaches it. */
export interface ImageRepository {
  /** Equal for applications that are shown the same: the same repository with the same credentials. */
  readonly key: string;
  readonly address: string;
  open(signal: AbortSignal): OciRepository;
}

const requestTimeoutMs = 30_000;
const maxHosts = 10_000;

/** Ways to registries: their settings, credentials and pace, each kept once for all applications. */
export class RegistryClients {
  readonly #needs: RegistryNeeds;
  readonly #paces = new BoundedMap<{ pace: RegistryPace; perSecond: number | undefined }>(maxHosts);
  readonly #logins = new BoundedMap<{ login: RegistryLogin; untilMs: number }>(maxHosts);
  readonly #asked = new SharedCalls<RegistryLogin>();
  #read: { text: string | undefined; registries: ReturnType<typeof readRegistries> } | undefined;

  constructor(needs: RegistryNeeds) {
    this.#needs = needs;
  }

  /** What registries.conf says, and what is wrong with it. */
  get registries(): ReturnType<typeof readRegistries> {
    const text = this.#needs.settings.current.imageUpdater["registries.conf"];
    if (!this.#read || this.#read.text !== text) this.#read = { text, registries: readRegistries(text) };
    return this.#read.registries;
  }

  /** `namespace`: of the application that names the image. */
  async repository(
    { image, pullSecret }: Pick<ImageRule, "image" | "pullSecret">,
    namespace: string,
    signal: AbortSignal,
  ): Promise<ImageRepository> {
    const entry = registryOf(this.registries, image);
    const secret = pullSecret ?? entry.credentials;
    const asker = pullSecret ? namespace : undefined;
    const address = registryAddress(entry, image);
    const kept = `${asker ?? ""} ${entry.host} ${JSON.stringify(secret ?? null)}`;
    const login = secret && (await this.#login(kept, { entry, secret, asker }, signal));
    return {
      // Also what settings say of the registry: what they said before is no answer any more.
      key: `${address} ${secret ? kept : ""} ${JSON.stringify(entry)}`,
      address,
      open: (inner) => this.#open({ entry, address, login }, inner),
    };
  }

  async #login(
    key: string,
    {
      entry,
      secret,
      asker,
    }: { entry: RegistryEntry; secret: NonNullable<ImageRule["pullSecret"]>; asker: string | undefined },
    signal: AbortSignal,
  ): Promise<RegistryLogin> {
    const { clock } = this.#needs;
    const known = this.#logins.get(key);
    if (known && known.untilMs > clock.now()) return known.login;
    const hosts = [
      ...new Set([entry.prefix, entry.host, ...(entry.prefix === "docker.io" ? ["index.docker.io"] : [])]),
    ];
    const fetch = async (inner: AbortSignal) => {
      const login = await fetchLogin(this.#needs, { secret, hosts, asker }, inner);
      // A Secret is asked for at each look, since it may change; what the operator's program gives is kept.
      if (asker === undefined) this.#logins.set(key, { login, untilMs: clock.now() + entry.credentialsMs });
      return login;
    };
    return this.#asked.join(key, fetch, signal);
  }

  #open(
    { entry, address, login }: { entry: RegistryEntry; address: string; login: RegistryLogin | undefined },
    signal: AbortSignal,
  ): OciRepository {
    const pace = this.#pace(entry);
    return new OciRepository("", {
      address,
      login,
      ...(entry.plainHttp === undefined ? {} : { plainHttp: entry.plainHttp }),
      ask: (url, question) => pace.run(() => this.#ask(url, question, { entry, signal }), signal),
      failure: (status, url) => failureOf(status, url, address),
    });
  }

  async #ask(
    url: string,
    { method, headers, maxBytes, isElsewhere }: RegistryQuestion,
    { entry, signal }: { entry: RegistryEntry; signal: AbortSignal },
  ) {
    const { clock, settings } = this.#needs;
    const { tlsAuthorities } = withTrust({ url: `https://${entry.host}` }, settings.current.trust);
    const ca = entry.authorities ?? tlsAuthorities;
    const tls = isElsewhere ? {} : { tls: { ca, insecure: entry.insecure } };
    try {
      return await outbound(url, {
        method,
        headers,
        maxBytes,
        timeoutMs: requestTimeoutMs,
        clock,
        signal,
        ...tls,
        guarded: !entry.isGiven,
        redirects: isElsewhere ? "none" : "anywhere",
      });
    } catch (error) {
      signal.throwIfAborted();
      if (isCapstanError(error)) throw error;
      const facts = { repository: url.split("/v2/")[0] ?? url, problem: messageOf(error) };
      throw new CapstanError({ code: "REPOSITORY_UNREACHABLE", ...facts }, error);
    }
  }

  #pace({ host, perSecond }: RegistryEntry): RegistryPace {
    const known = this.#paces.get(host);
    if (known && known.perSecond === perSecond) return known.pace;
    const pace = new RegistryPace({ host, clock: this.#needs.clock, perSecond });
    this.#paces.set(host, { pace, perSecond });
    return pace;
  }
}

function failureOf(status: number, url: string, repository: string): CapstanError {
  if (status === 401 || status === 403)
    return new CapstanError({ code: "REPOSITORY_AUTH", repository, problem: `HTTP status ${status}` });
  if (status === 404) return new CapstanError({ code: "REPOSITORY_MISSING", repository });
  const problem = `${new URL(url).host}: HTTP status ${status}`;
  return new CapstanError({ code: "REPOSITORY_UNREACHABLE", repository, problem });
}
