import { parseQuantity } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { conditionsOf, type Fields, fieldsAt, listAt, textOf } from "../health/health-rule.ts";

/** Amounts in billionths by name of the resource. */
type Amounts = Map<string, bigint>;

/** What a Pod asks of its node, by name of the resource, in billionths (kubectl pkg/util/resource PodRequestsAndLimits). */
export function podRequests(pod: Manifest): ReadonlyMap<string, bigint> {
  const known = kept.get(pod);
  if (known) return known;
  const made = sumOf(pod);
  kept.set(pod, made);
  return made;
}

export function hasEnded(pod: Manifest): boolean {
  const { phase } = fieldsAt(pod, "status");
  return phase === "Succeeded" || phase === "Failed";
}

/** Rounded up, as resource.Quantity MilliValue. */
export function inMilli(nanos: bigint): number {
  return Number((nanos + 999_999n) / 1_000_000n);
}

/** A Pod's object is another one after each change; trees are built again and again. */
const kept = new WeakMap<Manifest, ReadonlyMap<string, bigint>>();

function sumOf(pod: Manifest): Amounts {
  const total: Amounts = new Map();
  const sidecars: Amounts = new Map();
  const initial: Amounts = new Map();
  for (const container of listAt(pod, "spec", "containers"))
    add(total, inForce(pod, { container, statuses: "containerStatuses" }));
  for (const container of listAt(pod, "spec", "initContainers")) {
    if (container.restartPolicy === "Always") {
      const requests = inForce(pod, { container, statuses: "initContainerStatuses" });
      add(total, requests);
      add(sidecars, requests);
      raise(initial, sidecars);
    } else {
      const meanwhile: Amounts = new Map(sidecars);
      add(meanwhile, amountsOf(fieldsAt(container, "resources", "requests")));
      raise(initial, meanwhile);
    }
  }
  raise(total, initial);
  add(total, amountsOf(fieldsAt(pod, "spec", "overhead")));
  return total;
}

/** While a container is resized, the most of what is wanted and what it has. */
function inForce(
  pod: Manifest,
  { container, statuses }: { container: Fields; statuses: "containerStatuses" | "initContainerStatuses" },
): Amounts {
  const wanted = amountsOf(fieldsAt(container, "resources", "requests"));
  const status = listAt(pod, "status", statuses).find(({ name }) => name === container.name);
  if (status?.resources === undefined) return wanted;
  const isInfeasible = conditionsOf(pod).some(
    ({ type, reason }) => type === "PodResizePending" && reason === "Infeasible",
  );
  const amounts: Amounts = isInfeasible ? new Map() : wanted;
  raise(amounts, amountsOf(fieldsAt(status, "resources", "requests")));
  raise(amounts, amountsOf(fieldsAt(status, "allocatedResources")));
  return amounts;
}

export function amountsOf(list: Fields): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, value] of Object.entries(list)) {
    const quantity = parseQuantity(typeof value === "number" ? String(value) : textOf(value));
    if (quantity) amounts.set(name, quantity.nanos);
  }
  return amounts;
}

function add(to: Amounts, more: Amounts): void {
  for (const [name, nanos] of more) to.set(name, (to.get(name) ?? 0n) + nanos);
}

function raise(to: Amounts, least: Amounts): void {
  for (const [name, nanos] of least) if (nanos > (to.get(name) ?? -1n)) to.set(name, nanos);
}
