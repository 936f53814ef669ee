import { hash } from "node:crypto";
import { annotationKeys, CapstanError, isCapstanError, messageOf, pluginTokenSecret } from "@capstan/model";
import type { Log, Plugin } from "@capstan/plugin-kit";
import type { PluginService, PluginServiceAccess } from "@capstan/wire";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { ownPlugin } from "./own-plugin.ts";
import type { PluginPool } from "./plugin-pool.ts";
import { mostAtOnce, PluginServer, type ServerDescription, type ServerPlace } from "./plugin-server.ts";
import { type RemoteParts, stockPlugin } from "./stock-plugin.ts";

/** Equal servers: a sidecar alone, or the replicas of a Service. */
export interface GroupPlace {
  readonly kind: "sidecar" | "service";
  readonly name: string;
  /** For errors. */
  readonly shown: string;
  /** By which a stock plugin is named, which tells no name. */
  readonly stockName: string;
  /** Changes with what runs there. */
  readonly identity: string;
  readonly servers: readonly ServerPlace[];
}

export interface GroupAnswer {
  readonly plugins: readonly Plugin[];
  readonly problem?: CapstanError;
}

const maxPlugins = 100;
/** A DNS label's letters, and the dots of a version. */
const validName = /^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$/;

export class PluginGroup {
  readonly #parts: RemoteParts;
  readonly #log: Log;
  #place: GroupPlace;
  readonly #servers = new Map<string, PluginServer>();
  /** One object for each plugin as long as it stays the same. */
  readonly #plugins = new Map<string, Plugin>();
  readonly #pool: PluginPool;

  constructor(place: GroupPlace, parts: RemoteParts) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#place = place;
    const servers = () => [...this.#servers.values()];
    this.#pool = { name: place.name, address: place.shown, servers };
  }

  get place(): GroupPlace {
    return this.#place;
  }

  /** Takes over what has changed; a server that has gone answers what it was asked before. */
  async update(place: GroupPlace): Promise<void> {
    const { clock, limits } = this.#parts;
    const { maxOutputBytes: maxAnswerBytes, timeoutMs } = limits;
    this.#place = place;
    const wanted = new Set(place.servers.map(keyOf));
    for (const [key, server] of this.#servers) {
      if (wanted.has(key)) continue;
      this.#servers.delete(key);
      await server.close();
    }
    for (const one of place.servers) {
      const key = keyOf(one);
      if (!this.#servers.has(key))
        this.#servers.set(key, new PluginServer(one, { clock, maxAnswerBytes, timeoutMs }));
    }
  }

  /** What its servers do now, where that is worth a word. */
  get busy(): string | undefined {
    const [first] = [...this.#servers.values()]
      .map((server) => server.busy)
      .filter((one) => one !== undefined);
    return first;
  }

  /** `isNamed`: somebody needs this one, and waits for it as long as a call may take. */
  async ask(signal: AbortSignal, how: { isNamed?: boolean } = {}): Promise<GroupAnswer> {
    const { name: plugin, shown: address } = this.#place;
    const servers = [...this.#servers.values()];
    if (servers.length === 0) {
      const problem = "it has no ready endpoint";
      return {
        plugins: [],
        problem: new CapstanError({ code: "PLUGIN_UNREACHABLE", plugin, address, problem }),
      };
    }
    try {
      await Promise.any(servers.map((server) => server.describe(signal, how)));
      return { plugins: this.#pluginsOf(mostTold(servers)) };
    } catch (error) {
      signal.throwIfAborted();
      const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
      if (isCapstanError(cause)) return { plugins: [], problem: cause };
      const facts = { code: "PLUGIN_UNREACHABLE", plugin, address, problem: messageOf(cause) } as const;
      return { plugins: [], problem: new CapstanError(facts, cause) };
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await server.close();
    this.#servers.clear();
  }

  #pluginsOf(description: ServerDescription | undefined): Plugin[] {
    if (!description) return [];
    const { stockName: name, identity: place } = this.#place;
    const concurrency = mostAtOnce * this.#servers.size;
    if (description.protocol === "stock") {
      const { hasDiscovery, wantsCredentials } = description;
      const facts = { name, identity: `stock ${place}`, hasDiscovery, wantsCredentials, concurrency };
      return [this.#keep(facts, () => stockPlugin(this.#pool, facts, this.#parts))];
    }
    return description.plugins
      .slice(0, maxPlugins)
      .filter((told) => this.#isValid(told))
      .map((told) => {
        const identity = `own ${told.name} ${told.version} ${told.digest}`;
        const facts = { told, identity, concurrency };
        return this.#keep(facts, () => ownPlugin(this.#pool, facts, this.#parts));
      });
  }

  #isValid({ name, version }: pluginV1.Plugin): boolean {
    const isValid = validName.test(name) && (version === "" || validName.test(version));
    if (!isValid) {
      const facts = {
        address: this.#place.shown,
        plugin: name.slice(0, 100),
        version: version.slice(0, 100),
      };
      this.#log.warn(
        facts,
        "a plugin is left out for its name: letters, digits, '-', '.' and '_' are allowed",
      );
    }
    return isValid;
  }

  #keep(facts: { identity: string; concurrency: number }, make: () => Plugin): Plugin {
    const isUnproved = this.#place.servers.some(({ security, trust }) => security === "tls" && !trust);
    const key = `${facts.identity} ${facts.concurrency} ${isUnproved}`;
    const known = this.#plugins.get(key);
    if (known) return known;
    if (this.#plugins.size >= maxPlugins) this.#plugins.clear();
    const made = make();
    const plugin = isUnproved ? { ...made, notes: [...(made.notes ?? []), unproved] } : made;
    if (isUnproved) this.#log.warn({ plugin: made.name, address: this.#place.shown }, unproved);
    this.#plugins.set(key, plugin);
    return plugin;
  }
}

const unproved =
  "its server's certificate is not verified: name its authority, see docs/plugin-services.md (Certificates)";

/** A connection is made anew also when what it is made with has changed. */
function keyOf(place: ServerPlace): string {
  return hash("sha256", JSON.stringify(place));
}

/** While one version replaces another, servers tell different things: what most of them tell holds. */
function mostTold(servers: readonly PluginServer[]): ServerDescription | undefined {
  const votes = new Map<string, { description: ServerDescription; count: number }>();
  for (const { known } of servers) {
    if (!known) continue;
    const vote = votes.get(signOf(known)) ?? { description: known, count: 0 };
    votes.set(signOf(known), { description: vote.description, count: vote.count + 1 });
  }
  return [...votes.values()].sort((left, right) => right.count - left.count)[0]?.description;
}

function signOf(description: ServerDescription): string {
  if (description.protocol === "stock") return "stock";
  return JSON.stringify(description.plugins.map(({ name, version, digest }) => [name, version, digest]));
}

export function serviceGroup(service: PluginService, access: PluginServiceAccess = {}): GroupPlace {
  const { name, pluginName = name, pluginVersion, plaintext, endpoints } = service;
  const { authority: general, tokens = {}, ...others } = access;
  const own = pluginTokenSecret(name);
  const shown = Object.hasOwn(tokens, own) ? { ...others, token: tokens[own] ?? "" } : others;
  const from = `annotation ${annotationKeys.pluginAuthority} of service ${name}`;
  const vouching = service.authority === undefined ? general : { authority: service.authority, from };
  const stockName = pluginVersion === undefined ? pluginName : `${pluginName}-${pluginVersion}`;
  const workloads = [...new Set(endpoints.map(({ workload }) => workload))].sort();
  return {
    kind: "service",
    name,
    shown: `service ${name}`,
    stockName,
    identity: `${name} ${workloads.join(" ")}`,
    servers: endpoints.map(({ host, port, process: identity }) => {
      const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
      return {
        name: stockName,
        address: `dns:///${place}`,
        shown: `${place} (service ${name})`,
        identity,
        ...(plaintext
          ? { security: "plaintext" }
          : {
              security: "tls",
              ...shown,
              ...(vouching ? { trust: { ...vouching, name: service.serverName ?? host } } : {}),
            }),
      };
    }),
  };
}

export function sidecarGroup(place: ServerPlace): GroupPlace {
  const { name, shown, address, identity } = place;
  return {
    kind: "sidecar",
    name,
    shown,
    stockName: name,
    identity: `${address} ${identity}`,
    servers: [place],
  };
}
