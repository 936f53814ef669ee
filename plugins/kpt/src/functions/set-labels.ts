import {
  byCodePoint,
  fieldAt,
  hasText,
  itemsAt,
  type MappingNode,
  setText,
  textAt,
  textsAt,
  type YamlNode,
} from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import { failed, type KrmFunction } from "../function.ts";
import { type Item, isGvk, isLocalConfig } from "../item.ts";
import { dataOf, info, isConfigMap, isFnKind, notTexts, problem } from "./function-config.ts";
import { inLibraryOrder } from "./library-order.ts";

/** Sets labels on every resource, in its pods and in the selectors that have to find them. */
export const setLabels: KrmFunction = inLibraryOrder((list) => {
  const { functionConfig } = list;
  if (!functionConfig) {
    list.results = [info("`FunctionConfig` is not given")];
    return failed;
  }
  const labels = readLabels(functionConfig);
  if (typeof labels === "string") {
    list.results = [problem(labels)];
    return failed;
  }
  const items = list.items.filter((item) => !isLocalConfig(item));
  if (items.length === 0) list.results = [info("no input resources")];
  else if (isPlaceholder(functionConfig)) return failed;
  else if (labels.length === 0)
    list.results = [problem("no `labels` arguments are given in FunctionConfig", "warning")];
  else {
    const setter = new LabelSetter(labels);
    for (const item of items) setter.set(item);
    list.results = [info(`set ${setter.count} labels in total`)];
  }
  return undefined;
});

type Labels = readonly (readonly [key: string, value: string])[];

function readLabels(config: MappingNode): Labels | string {
  const isMap = isConfigMap(config);
  if (!isMap && !isFnKind(config, "SetLabels"))
    return `unknown FunctionConfig \`${groupKindOf(config)}\`, expect \`SetLabels.fn.kpt.dev\` or \`ConfigMap.v1\``;
  const wrong = isMap ? undefined : notTexts(fieldAt(config, "labels"), "SetLabels.labels");
  if (wrong) return `unable to convert object to *setlabels.SetLabels with error: ${wrong}`;
  const labels = isMap ? dataOf(config) : textsAt(config, "labels");
  return [...labels].sort(([one], [other]) => byCodePoint(one, other));
}

/** "SetLabels.fn.kpt.dev" (apimachinery GroupKind.String). */
function groupKindOf(config: MappingNode): string {
  const group = groupOf(textAt(config, "apiVersion"));
  return [textAt(config, "kind"), group].filter((part) => part !== "").join(".");
}

/** What kpt makes of no configuration at all. */
function isPlaceholder(config: MappingNode): boolean {
  return (
    isConfigMap(config) &&
    textAt(config, "metadata", "name") === "function-input" &&
    dataOf(config).size === 0
  );
}

class LabelSetter {
  /** Labels that were looked at, set or not. */
  count = 0;
  readonly #labels: Labels;

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  set(item: Item): void {
    const { root } = item;
    const is = (gvk: { group?: string; version?: string; kind: string }): boolean => isGvk(item, gvk);
    this.#put(root, ["metadata", "labels"], true);
    const isController = is({ version: "v1", kind: "ReplicationController" });
    if (isController || is({ version: "v1", kind: "Service" })) this.#put(root, ["spec", "selector"], true);
    const isSet = is({ group: "apps", kind: "StatefulSet" });
    const isWorkload = isSet || ["Deployment", "ReplicaSet", "DaemonSet"].some((kind) => is({ kind }));
    const isJob = is({ group: "batch", kind: "Job" });
    if (isWorkload || isJob || is({ group: "policy", kind: "PodDisruptionBudget" }))
      this.#put(root, ["spec", "selector", "matchLabels"], isWorkload);
    const isPolicy = is({ group: "networking.k8s.io", kind: "NetworkPolicy" });
    if (isPolicy) this.#put(root, ["spec", "podSelector", "matchLabels"], false);
    if (fieldAt(root, "spec")?.kind !== "mapping") return;
    if (isWorkload || isJob || isController) this.#pod(fieldAt(root, "spec", "template"));
    if (is({ group: "batch", kind: "CronJob" })) this.#job(fieldAt(root, "spec", "jobTemplate"));
    if (isSet) for (const claim of itemsAt(root, "spec", "volumeClaimTemplates")) this.#claim(claim);
    if (isPolicy) this.#policyRules(root);
  }

  #pod(pod: YamlNode | undefined): void {
    if (pod?.kind !== "mapping") return;
    this.#put(pod, ["metadata", "labels"], true);
    for (const constraint of itemsAt(pod, "spec", "topologySpreadConstraints"))
      this.#put(constraint, ["labelSelector", "matchLabels"], false);
  }

  #job(job: YamlNode | undefined): void {
    if (job?.kind !== "mapping") return;
    this.#put(job, ["metadata", "labels"], true);
    const spec = fieldAt(job, "spec");
    if (spec?.kind === "mapping") this.#put(spec, ["selector", "matchLabels"], false);
    this.#pod(fieldAt(spec, "template"));
  }

  #claim(claim: YamlNode): void {
    this.#put(claim, ["metadata", "labels"], true);
    this.#put(claim, ["selector", "matchLabels"], false);
  }

  #policyRules(root: MappingNode): void {
    const peers = [
      ...itemsAt(root, "spec", "ingress").flatMap((rule) => itemsAt(rule, "from")),
      ...itemsAt(root, "spec", "egress").flatMap((rule) => itemsAt(rule, "to")),
    ];
    for (const peer of peers) this.#put(peer, ["podSelector", "matchLabels"], false);
  }

  /** With `create` also where the label is not yet. */
  #put(node: YamlNode, path: readonly string[], create: boolean): void {
    for (const [key, value] of this.#labels) {
      const isThere = hasText(node, ...path, key);
      if (isThere ? textAt(node, ...path, key) !== value : create) {
        const before = fieldAt(node, ...path);
        const isFlow = before?.kind === "mapping" && before.flow;
        setText(node, [...path, key], value);
        // As its library, which leaves the style of what is there as it is.
        if (isFlow) before.flow = true;
      }
      this.count++;
    }
  }
}
