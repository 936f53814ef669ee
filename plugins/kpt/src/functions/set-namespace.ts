import { byCodePoint, fieldAt, hasText, itemsAt, type MappingNode, setText, textAt } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import { failed, type KrmFunction, type ResultItem } from "../function.ts";
import { annotate, annotationOf, type Item, identityOf, isLocalConfig } from "../item.ts";
import { aboutConfig, dataOf, info, isConfigMap, isFnKind, problem } from "./function-config.ts";
import { isNamespaced } from "./kube-scope.ts";
import { inLibraryOrder } from "./library-order.ts";

const packageContext = "kptfile.kpt.dev";
const dependsOn = "config.kubernetes.io/depends-on";
const upstreamId = "internal.kpt.dev/upstream-identifier";

interface Wanted {
  namespace: string;
  /** Only what is in this namespace now, or was upstream; empty: all. */
  matcher: string;
}

/** Puts all resources of a package into one namespace, and what names the namespace with them. */
export const setNamespace: KrmFunction = inLibraryOrder((list) => {
  const wanted = readConfig(list.functionConfig);
  if (typeof wanted === "string") {
    list.results = [aboutConfig(wanted, list.functionConfig)];
    return list.functionConfig && failed;
  }
  const items = list.items.filter((item) => !isLocalConfig(item));
  const origins = new Set(
    items.flatMap((item) => (isNamespaced(item) ? (originOf(item)?.namespace ?? []) : [])),
  );
  if (wanted.matcher === "" && origins.size > 1) {
    const shown = [...origins].sort(byCodePoint).join(" ");
    const message = `unable to use origin \`namespace\` to match. expect a single upstream namespace, found [${shown}]. please switch to use \`namespaceMatcher\`to specify the namespace value you want to change`;
    list.results = [problem(message)];
    return undefined;
  }
  const before = new Set(items.filter(isNamespaced).map(dependsOnText));
  list.results = [...replaceNamespaces(items, wanted), updateDependsOn(items, before, wanted)];
  return undefined;
});

function readConfig(config: MappingNode | undefined): Wanted | string {
  if (!config)
    return "FunctionConfig is missing. Expect `ConfigMap.v1` or `SetNamespace.v1alpha1.fn.kpt.dev`";
  if (isConfigMap(config)) {
    const data = dataOf(config);
    const fromContext = textAt(config, "metadata", "name") === packageContext ? data.get("name") : undefined;
    const namespace = data.get("namespace") || fromContext;
    if (!namespace) return "`data.namespace` should not be empty";
    return { namespace, matcher: data.get("namespaceMatcher") ?? "" };
  }
  if (isFnKind(config, "SetNamespace")) {
    const namespace = textAt(config, "namespace");
    return namespace === ""
      ? "`namespace` should not be empty"
      : { namespace, matcher: textAt(config, "namespaceMatcher") };
  }
  const [kind, apiVersion] = [textAt(config, "kind"), textAt(config, "apiVersion")];
  return `unknown functionConfig Kind=${kind} ApiVersion=${apiVersion}, expect \`ConfigMap.v1\` or \`SetNamespace.v1alpha1.fn.kpt.dev\``;
}

/** The identity that a resource had upstream: group|kind|namespace|name. */
function originOf(item: Item): { namespace: string; name: string } | undefined {
  const [, , namespace = "", name = ""] = annotationOf(item, upstreamId).split("|");
  return name === "" ? undefined : { namespace, name };
}

function replaceNamespaces(items: readonly Item[], { namespace, matcher }: Wanted): ResultItem[] {
  const results: ResultItem[] = [];
  const former = new Set<string>();
  let count = 0;
  const replace = (node: Item["root"], path: readonly string[], origin: string): void => {
    const current = textAt(node, ...path) || "default";
    const isWanted = matcher === "" || matcher === current || matcher === origin;
    if (matcher !== "" && matcher === origin && current !== namespace)
      results.push(info(`[${shortName(node)}] has matching origin ${origin}`));
    if (isWanted && current !== namespace) {
      former.add(current);
      count++;
    }
    // What stays is written too: a resource without a namespace says "default" afterwards.
    setText(node, path, isWanted ? namespace : current);
  };
  for (const item of items) if (!isNamespaced(item)) replaceInClusterObject(item, replace);
  for (const item of items)
    if (isNamespaced(item))
      replace(
        item.root,
        ["metadata", "namespace"],
        originOf(item)?.namespace ?? textAt(item.root, "metadata", "namespace"),
      );
  const shown = [...former].sort(byCodePoint).join(" ");
  const summary =
    count === 0
      ? `all matching namespaces are already "${namespace}". no value changed`
      : `namespace [${shown}] updated to "${namespace}", ${count} value(s) changed`;
  return [...results, info(summary)];
}

type Replace = (node: Item["root"], path: readonly string[], origin: string) => void;

/** Objects without a namespace of their own that name one. */
function replaceInClusterObject(item: Item, replace: Replace): void {
  const { apiVersion, kind } = identityOf(item);
  const { root } = item;
  if (apiVersion === "v1" && kind === "Namespace")
    replace(root, ["metadata", "name"], originOf(item)?.name ?? textAt(root, "metadata", "name"));
  if (apiVersion === "apiextensions.k8s.io/v1" && kind === "CustomResourceDefinition") {
    const service = ["spec", "conversion", "webhook", "clientConfig", "service"];
    if (fieldAt(root, ...service)?.kind === "mapping") replace(root, [...service, "namespace"], "");
  }
  if (apiVersion === "apiregistration.k8s.io/v1" && kind === "APIService")
    if (fieldAt(root, "spec", "service")?.kind === "mapping")
      replace(root, ["spec", "service", "namespace"], "");
  if (kind === "ClusterRoleBinding")
    for (const subject of itemsAt(root, "subjects"))
      if (subject.kind === "mapping" && hasText(subject, "namespace")) replace(subject, ["namespace"], "");
}

function shortName(root: Item["root"]): string {
  const { apiVersion, kind, namespace, name } = identityOf({ root, head: "", foot: "" });
  return `Resource(apiVersion=${apiVersion}, kind=${kind}, namespace=${namespace}, name=${name})`;
}

function dependsOnText(item: Item): string {
  const { apiVersion, namespace, kind, name } = identityOf(item);
  return `${groupOf(apiVersion)}/namespaces/${namespace || "default"}/${kind}/${name}`;
}

/** What waits for a resource of the package follows it. */
function updateDependsOn(
  items: readonly Item[],
  before: ReadonlySet<string>,
  { namespace, matcher }: Wanted,
): ResultItem {
  const former = new Set<string>();
  let count = 0;
  for (const item of items) {
    const value = annotationOf(item, dependsOn);
    if (!/^[-.\w]*\/namespaces\/[-.\w]*\/[-.\w]*\/[-.\w]*$/.test(value) || !before.has(value)) continue;
    const [group, word, current = "", ...rest] = value.split("/");
    if (current === namespace || (matcher !== "" && matcher !== current)) continue;
    former.add(current);
    count++;
    annotate(item, dependsOn, [group, word, namespace, ...rest].join("/"));
  }
  if (count === 0) return info("all `depends-on` annotations are up-to-date. no `namespace` changed");
  const shown = [...former].sort(byCodePoint).join(" ");
  return info(
    `\`depends-on\` annotation namespace [${shown}] updated to "${namespace}", ${count} value(s) changed`,
  );
}
