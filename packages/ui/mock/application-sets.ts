import type { ApplicationSet } from "@capstan/model";
import type { ApplicationSetDiff } from "@capstan/wire";

export const heldCode = "8-0b6c2c3f0d2f6a4c1e57";
const held = `8 of 13 Applications (62 %) are not generated any more, and at once it may delete 50 %: web-04, web-05, web-06, web-07, web-08 and 3 more. They are kept until that is allowed: capstan appset allow-deletion argocd/web ${heldCode}`;
const since = "2026-01-01T00:00:00Z";

const app = (name: string, path: string) => ({
  metadata: { name, namespace: "argocd", finalizers: ["resources-finalizer.argocd.argoproj.io"] },
  spec: {
    project: "default",
    source: { repoURL: "https://git.example.com/acme/teams.git", targetRevision: "main", path },
    destination: { server: "https://kubernetes.default.svc", namespace: name },
  },
});

/** One whose deletions are held until somebody consents, one that fails and one that is well. */
export class SeededSets {
  #isAllowed = false;
  readonly #watchers = new Set<(set: ApplicationSet) => void>();

  list(): ApplicationSet[] {
    const { spec } = app("{{ .path.basename }}", "{{ .path.path }}");
    const conditionsOf = (type: string, message: string) => [
      { type, status: "True", reason: type, message, lastTransitionTime: since },
    ];
    const generators = [
      { git: { repoURL: spec.source.repoURL, revision: "main", directories: [{ path: "teams/*" }] } },
    ];
    const sets = [
      { name: "clean", conditions: conditionsOf("ResourcesUpToDate", "All is well"), count: 2 },
      {
        name: "broken",
        conditions: conditionsOf(
          "ErrorOccurred",
          "spec.generators[0]: git: the repository cannot be reached",
        ),
        count: 0,
      },
      {
        name: "web",
        conditions: this.#isAllowed
          ? conditionsOf("ResourcesUpToDate", "All is well")
          : conditionsOf("DeletionHeld", held),
        count: 13,
      },
    ];
    return sets.map(({ name, conditions, count }) => ({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      metadata: { name, namespace: "argocd", creationTimestamp: since },
      spec: { goTemplate: true, generators, template: { metadata: { name: "{{ .path.basename }}" }, spec } },
      status: {
        conditions,
        resourcesCount: count,
        resources: Array.from({ length: count }, (_, index) => ({
          group: "argoproj.io",
          kind: "Application",
          name: `${name}-${String(index).padStart(2, "0")}`,
          status: index === 3 ? "OutOfSync" : "Synced",
          health: { status: index === 3 ? "Degraded" : "Healthy" },
        })),
      },
    }));
  }

  find(name: string): ApplicationSet | undefined {
    return this.list().find(({ metadata }) => metadata.name === name);
  }

  diff(name: string): ApplicationSetDiff | { failure: string } {
    if (name === "broken") return { failure: "spec.generators[0]: git: the repository cannot be reached" };
    if (name !== "web" || this.#isAllowed) return { changes: [], problems: [] };
    const base = { namespace: "argocd", project: "default" };
    return {
      changes: [
        { act: "create", name: "web-new", ...base, targetState: JSON.stringify(app("web-new", "teams/new")) },
        {
          ...{ act: "update", name: "web-03", ...base },
          liveState: JSON.stringify(app("web-03", "teams/old")),
          targetState: JSON.stringify(app("web-03", "teams/03")),
        },
        ...Array.from({ length: 8 }, (_, index) => {
          const gone = `web-${String(index + 4).padStart(2, "0")}`;
          return { act: "hold" as const, name: gone, ...base, liveState: JSON.stringify(app(gone, "teams")) };
        }),
      ],
      problems: [],
      heldDeletions: { code: heldCode, message: held },
    };
  }

  /** Whether that is what is held. */
  allow(given: unknown): boolean {
    if (given !== heldCode) return false;
    this.#isAllowed = true;
    const web = this.find("web");
    if (web) for (const tell of this.#watchers) tell(web);
    return true;
  }

  watch(tell: (set: ApplicationSet) => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }
}

const path = "/api/v1/applicationsets";

/** Undefined for what is asked of something else. */
export function answerOfSets(
  sets: SeededSets,
  { method, path: asked, body }: { method: string; path: string; body: unknown },
): { status?: number; body?: unknown } | undefined {
  const given = new Map<string, unknown>(
    typeof body === "object" && body !== null ? Object.entries(body) : [],
  );
  if (asked === path) return { body: { metadata: {}, items: sets.list() } };
  if (asked === `${path}/diff`) {
    const diff = sets.diff(String(given.get("name")));
    return "failure" in diff ? { status: 400, body: { code: 9, message: diff.failure } } : { body: diff };
  }
  const [, name = "", rest] = /^\/api\/v1\/applicationsets\/([^/]+)(\/allow-deletion)?$/.exec(asked) ?? [];
  const found = sets.find(name);
  if (!found) return undefined;
  if (method === "GET") return { body: found };
  return rest && sets.allow(given.get("code"))
    ? { body: {} }
    : { status: 400, body: { code: 9, message: "holds other deletions now" } };
}
