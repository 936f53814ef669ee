import type { Objects } from "../../types.ts";
import type { Container, EnvVar, Pod } from "../kinds.ts";
import { fieldOfPod } from "./field-of-pod.ts";
import { storedData } from "./stored-data.ts";

/** What a process of the container would find in its environment, in the kubelet's order of precedence. */
export function environmentOf(objects: Objects, pod: Pod, container: Container): Map<string, string> {
  const { namespace = "", name = "" } = pod.metadata;
  const variables = new Map([
    ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    ["HOSTNAME", pod.spec.hostname ?? name],
    ["HOME", "/root"],
  ]);
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const kind = configMapRef ? "ConfigMap" : "Secret";
    const of = (configMapRef ?? secretRef)?.name ?? "";
    for (const [key, value] of storedData(objects, { kind, namespace, name: of }))
      variables.set(`${prefix}${key}`, value.toString());
  }
  for (const one of container.env ?? []) {
    const value = one.valueFrom ? referred(objects, pod, one) : expand(one.value ?? "", variables);
    if (value !== undefined) variables.set(one.name, value);
  }
  return variables;
}

function referred(objects: Objects, pod: Pod, { valueFrom }: EnvVar): string | undefined {
  const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom ?? {};
  if (fieldRef) return fieldOfPod(pod, fieldRef.fieldPath);
  const { name = "", key = "" } = configMapKeyRef ?? secretKeyRef ?? {};
  const kind = configMapKeyRef ? "ConfigMap" : "Secret";
  const namespace = pod.metadata.namespace ?? "";
  return storedData(objects, { kind, namespace, name }).get(key)?.toString();
}

/** Kubernetes' own $(NAME) of what stands before, with $$ for a dollar. */
function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([A-Za-z_.-][\w.-]*)\)/g, (written, name?: string) =>
    name === undefined ? "$" : (variables.get(name) ?? written),
  );
}
