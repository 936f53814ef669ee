const told = {
  createdAt: "created",
  authors: "authors",
  docsUrl: "documentation",
  sourceUrl: "source",
  version: "version",
  description: "description",
} as const;

/** What annotations of a registry's artifact say to people (OCI image-spec, pre-defined annotation keys). */
export function artifactDetails(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(told).map(([field, name]): [string, string] => [
    field,
    annotations[`org.opencontainers.image.${name}`] ?? "",
  ]);
  return Object.fromEntries(named.filter(([, text]) => text !== ""));
}

/** The inverse, of what another repo server tells. */
export function annotationsOf(details: Readonly<Record<string, unknown>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [field, name] of Object.entries(told)) {
    const text = details[field];
    if (typeof text === "string" && text !== "") found[`org.opencontainers.image.${name}`] = text;
  }
  return found;
}
