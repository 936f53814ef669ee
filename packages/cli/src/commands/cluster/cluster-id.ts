/** Addresses begin with a scheme; all else is a name (cmd/argocd/commands/cluster.go getQueryBySelector). */
export function clusterId(text: string): { id: string; "id.type": "url" | "name" } {
  return { id: text, "id.type": /^https?:\/\//.test(text) ? "url" : "name" };
}
