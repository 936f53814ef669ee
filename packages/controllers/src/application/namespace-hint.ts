/** An API server's words for an object of a namespace that is not there (apiserver's NamespaceLifecycle admission). */
const missing = /namespaces "([^"]+)" not found/;

/** What to do about a namespace that is missing: Argo CD's message leaves that to the reader. */
export function withNamespaceHint(message: string): string {
  const [, namespace] = missing.exec(message) ?? [];
  if (namespace === undefined) return message;
  return `${message}; create namespace ${namespace}, or let the sync do it: spec.syncPolicy.syncOptions: [CreateNamespace=true]`;
}
