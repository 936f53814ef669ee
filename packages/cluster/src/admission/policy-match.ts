import { selectsLabels } from "@capstan/formats";
import type { Review } from "../objects/world.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { Store } from "../store/store.ts";

/** MatchResources of a policy or a binding (apiserver plugin/policy/matching/matching.go). */
export function matches(store: Pick<Store, "get">, wanted: JsonObject | undefined, review: Review): boolean {
  if (wanted === undefined) return true;
  if (!selectsNamespace(store, wanted, review) || !selectsObject(wanted, review)) return false;
  const rules = listAt(wanted, "resourceRules").filter(isObject);
  const excluded = listAt(wanted, "excludeResourceRules").filter(isObject);
  const isWanted = rules.length === 0 || rules.some((rule) => ruleMatches(rule, review));
  return isWanted && !excluded.some((rule) => ruleMatches(rule, review));
}

function selectsNamespace(store: Pick<Store, "get">, wanted: JsonObject, review: Review): boolean {
  const selector = objectAt(wanted, "namespaceSelector");
  if (selector === undefined || Object.keys(selector).length === 0) return true;
  const isNamespace = review.served.type === "/namespaces";
  if (review.namespace === "" && !isNamespace) return true;
  const namespace = isNamespace
    ? (review.object ?? review.previous)
    : store.get("/namespaces", "", review.namespace)?.object;
  return selectsLabels(selector, namespace?.metadata.labels ?? {});
}

function selectsObject(wanted: JsonObject, { object, previous }: Review): boolean {
  const selector = objectAt(wanted, "objectSelector");
  if (selector === undefined || Object.keys(selector).length === 0) return true;
  return [object, previous].some(
    (one) => one !== undefined && selectsLabels(selector, one.metadata.labels ?? {}),
  );
}

function ruleMatches(rule: JsonObject, review: Review): boolean {
  const { info } = review.served;
  const scope = textAt(rule, "scope") || "*";
  const names = listAt(rule, "resourceNames");
  return (
    includes(rule, "operations", review.operation) &&
    includes(rule, "apiGroups", info.group) &&
    (includes(rule, "apiVersions", info.version) || review.served.converts) &&
    listAt(rule, "resources").some((one) => resourceMatches(String(one), review)) &&
    (scope === "*" || (scope === "Namespaced") === info.namespaced) &&
    (names.length === 0 || names.includes(review.name))
  );
}

function includes(rule: JsonObject, list: string, value: string): boolean {
  const values = listAt(rule, list);
  return values.includes("*") || values.includes(value);
}

function resourceMatches(pattern: string, { served, subresource }: Review): boolean {
  const [resource, part = ""] = pattern.split("/");
  return (resource === "*" || resource === served.info.resource) && (part === "*" || part === subresource);
}
