import type { DecisionAnswer, DecisionQuestion } from "@capstan/engine";
import { isRecord, printLabelSelector } from "@capstan/formats";
import type { ObjectType } from "@capstan/kube";
import { type Manifest, messageOf } from "@capstan/model";
import type { AskNeeds } from "./ask-needs.ts";
import { readConfigMap } from "./read-config-map.ts";

/**
 * What objects of the control namespace decide of clusters (applicationset/generators DuckTypeGenerator). Of which kind
 * they are a ConfigMap of that namespace says, the operator's own: nobody's set reads a kind that it does not name, nor
 * another namespace. That none of them has decided anything yet is a problem, not an empty answer.
 */
export async function askDecision(
  needs: AskNeeds,
  question: DecisionQuestion,
  signal: AbortSignal,
): Promise<DecisionAnswer> {
  const { configMap: name } = question;
  try {
    const config = await readConfigMap(needs, { name, needs: ["apiVersion", "kind"] }, signal);
    const type = await typeOf(needs, config, signal);
    const objects = await findObjects(needs, { question, type }, signal);
    const list = config.statusListKey || "clusters";
    return { decisions: readDecisions(objects, list), matchKey: config.matchKey ?? "" };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `${name}: ${messageOf(error)}` };
  }
}

/** By the plural name, which is what Argo CD's ConfigMaps say in `kind`. */
async function typeOf(
  { kube: { discovery } }: AskNeeds,
  { apiVersion, kind }: ObjectType,
  signal: AbortSignal,
): Promise<ObjectType> {
  const [group, version, more] = apiVersion.split("/");
  if (!group || !version || more !== undefined)
    throw new Error(`its apiVersion is ${apiVersion}: it has to be group/version`);
  const find = (rows: Awaited<ReturnType<typeof discovery.resources>>) =>
    rows.find((row) => row.group === group && row.version === version && row.resource === kind);
  const row = find(await discovery.resources(signal)) ?? find(await discovery.refresh(signal));
  if (!row) throw new Error(`the cluster has no resource ${kind} (its plural name) of ${apiVersion}`);
  if (!row.namespaced) throw new Error(`${kind} of ${apiVersion} are in no namespace, and are not read`);
  return { apiVersion, kind: row.kind };
}

async function findObjects(
  { kube, controlNamespace: namespace }: AskNeeds,
  { question, type }: { question: DecisionQuestion; type: ObjectType },
  signal: AbortSignal,
): Promise<readonly Manifest[]> {
  const { name, labelSelector } = question;
  if (name !== undefined) {
    const found = await kube.get({ ...type, namespace, name }, signal);
    if (found) return [found];
    throw new Error(`there is no ${type.kind} "${name}" in the namespace ${namespace}`);
  }
  const query = { ...type, namespace, labelSelector: printLabelSelector(labelSelector) };
  const { items } = await kube.list(query, signal);
  if (items.length > 0) return items;
  throw new Error(`there is no ${type.kind} with these labels in the namespace ${namespace}`);
}

function readDecisions(
  objects: readonly Manifest[],
  list: string,
): readonly Readonly<Record<string, unknown>>[] {
  const decided = objects.flatMap(({ status, metadata }) =>
    isRecord(status) && Object.keys(status).length > 0 ? [{ status, name: metadata.name ?? "" }] : [],
  );
  if (decided.length === 0) throw new Error("nothing is decided yet: there is no status");
  return decided.flatMap(({ status, name }) => {
    const found: unknown = status[list];
    if (!Array.isArray(found)) throw new Error(`status.${list} of ${name} is no list`);
    return found.map((one: unknown, index) => {
      if (isRecord(one)) return one;
      throw new Error(`status.${list}[${index}] of ${name} is no object`);
    });
  });
}
