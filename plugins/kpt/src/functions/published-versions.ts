/**
 * The newest patch of each minor version of a function that has an image; those below it have one too (tags of
 * kptdev/krm-functions-catalog, and what kpt's own tests and pages name). It answers a range of versions without a registry.
 */
const newestPatches: Readonly<Record<string, string>> = {
  "apply-replacements": "0.1.2",
  "apply-setters": "0.1.1 0.2.3",
  "create-setters": "0.1.0",
  "delete-annotations": "0.1.0",
  "ensure-name-substring": "0.1.1 0.2.0",
  fix: "0.2.1",
  gatekeeper: "0.1.3 0.2.1",
  kubeconform: "0.1.3",
  kubeval: "0.1.2 0.2.1 0.3.0",
  "list-setters": "0.1.0",
  "remove-local-config-resources": "0.1.0",
  "render-helm-chart": "0.1.0 0.2.2 0.3.0",
  "search-replace": "0.1.1 0.2.0",
  "set-annotations": "0.1.4",
  "set-enforcement-action": "0.1.0",
  "set-image": "0.1.1",
  "set-labels": "0.1.5 0.2.5",
  "set-name-prefix": "0.0.3",
  "set-namespace": "0.1.4 0.2.0 0.3.4 0.4.5",
  starlark: "0.1.2 0.2.2 0.3.0 0.4.3 0.5.1",
  "upsert-resource": "0.1.0 0.2.0",
};

/** As tags, "v0.4.5"; nothing of a function whose images are not known. */
export function publishedVersions(name: string): string[] {
  return (newestPatches[name] ?? "").split(" ").flatMap((newest) => {
    const at = newest.lastIndexOf(".") + 1;
    const last = Number(newest.slice(at));
    return newest === ""
      ? []
      : Array.from({ length: last + 1 }, (_, patch) => `v${newest.slice(0, at)}${patch}`);
  });
}
