import { randomInt } from "node:crypto";
import type { KubeObject, Objects } from "../../types.ts";
import { keyOf } from "../controller.ts";
import { resourceTypes } from "../resource-types.ts";
import { isService, type Service } from "./kinds.ts";

export interface NumberPool {
  /** A free value; undefined when there is none. */
  take(): string | undefined;
  /** Takes a value that was asked for; answers why it cannot be had. */
  claim(value: string): string | undefined;
}

export interface ServicePools {
  addresses: NumberPool;
  nodePorts: NumberPool;
}

/**
 * --service-cluster-ip-range=10.96.0.0/16 and --service-node-port-range, without the low bands that Kubernetes leaves
 * to those who ask for a value of their own (KEP-3070, KEP-3668).
 */
const firstAddress = 257;

const lastAddress = 65_534;

const lowestPort = 30_000;

const firstPort = 30_086;

const lastPort = 32_767;

const mostPromised = 1_000;

const known = new WeakMap<Objects, ServicePools>();

/** The pools of one cluster, filled on first use and kept by the changes that it commits. */
export function servicePools(objects: Objects): ServicePools {
  const there = known.get(objects);
  if (there) return there;
  const addresses = new Pool(firstAddress, lastAddress, {
    print: (number) => `10.96.${number >> 8}.${number & 255}`,
    valid: (text) => /^10\.96\.\d{1,3}\.\d{1,3}$/.test(text),
    outside: "the provided network does not match the current range",
    taken: "provided IP is already allocated",
  });
  const nodePorts = new Pool(firstPort, lastPort, {
    print: String,
    valid: (text) => Number(text) >= lowestPort && Number(text) <= lastPort,
    outside: `provided port is not in the valid range. The range of valid ports is ${lowestPort}-${lastPort}`,
    taken: "provided port is already allocated",
  });
  const put = (object: KubeObject) => {
    const service = isService(object) ? object : undefined;
    addresses.hold(keyOf(object), service?.spec.clusterIPs ?? []);
    nodePorts.hold(keyOf(object), service ? portsOf(service) : []);
  };
  for (const service of objects.list(resourceTypes.services)) put(service);
  objects.subscribe(resourceTypes.services, ({ type, object }) => {
    if (type !== "DELETED") return put(object);
    addresses.hold(keyOf(object), []);
    nodePorts.hold(keyOf(object), []);
  });
  known.set(objects, { addresses, nodePorts });
  return { addresses, nodePorts };
}

interface Rules {
  print(number: number): string;
  valid(text: string): boolean;
  outside: string;
  taken: string;
}

class Pool implements NumberPool {
  readonly #first: number;
  readonly #last: number;
  readonly #rules: Rules;
  readonly #holders = new Map<string, string>();
  readonly #held = new Map<string, readonly string[]>();
  /** Given out and not yet seen in a stored Service: oldest first, forgotten beyond a number. */
  readonly #promised = new Set<string>();

  constructor(first: number, last: number, rules: Rules) {
    this.#first = first;
    this.#last = last;
    this.#rules = rules;
  }

  take(): string | undefined {
    const size = this.#last - this.#first + 1;
    const start = randomInt(size);
    for (let step = 0; step < size; step++) {
      const value = this.#rules.print(this.#first + ((start + step) % size));
      if (this.#isTaken(value)) continue;
      this.#promise(value);
      return value;
    }
    return undefined;
  }

  claim(value: string): string | undefined {
    if (!this.#rules.valid(value)) return this.#rules.outside;
    if (this.#isTaken(value)) return this.#rules.taken;
    this.#promise(value);
    return undefined;
  }

  hold(key: string, values: readonly string[]): void {
    for (const value of this.#held.get(key) ?? [])
      if (this.#holders.get(value) === key) this.#holders.delete(value);
    this.#held.delete(key);
    if (values.length === 0) return;
    this.#held.set(key, values);
    for (const value of values) {
      this.#holders.set(value, key);
      this.#promised.delete(value);
    }
  }

  #isTaken(value: string): boolean {
    return this.#holders.has(value) || this.#promised.has(value);
  }

  #promise(value: string): void {
    this.#promised.add(value);
    if (this.#promised.size <= mostPromised) return;
    const [oldest] = this.#promised;
    if (oldest !== undefined) this.#promised.delete(oldest);
  }
}

function portsOf({ spec }: Service): string[] {
  const ports = (spec.ports ?? []).map(({ nodePort }) => nodePort);
  return [...ports, spec.healthCheckNodePort].flatMap((port) => (port ? String(port) : []));
}
