import { matchesAnyName } from "./project-rules.ts";

/** The patterns of `application.namespaces` in argocd-cmd-params-cm. */
export function applicationNamespaces(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((pattern) => pattern !== "");
}

/**
 * Whether Applications of a namespace count at all: those of the control namespace, and of what the operator names.
 * Anybody may write an Application elsewhere; it has no effect, and the API does not know it.
 */
export function isApplicationNamespace(
  namespace: string,
  { controlNamespace, setting }: { controlNamespace: string; setting: string | undefined },
): boolean {
  return namespace === controlNamespace || matchesAnyName(applicationNamespaces(setting), namespace);
}
