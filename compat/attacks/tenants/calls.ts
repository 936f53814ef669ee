import { type Route, routes } from "@capstan/wire";
import type { Dice } from "../../dice.ts";
import { anyNamespace, forgedResource, randomApplication, repositories } from "./applications.ts";
import { names, randomManifest } from "./manifests.ts";

/** One request of an account. */
export interface RandomCall {
  /** Method and path with its query. */
  readonly line: string;
  readonly body?: unknown;
}

interface Known {
  readonly applications: readonly string[];
  readonly gitUrl: string;
}

const everyRoute = Object.entries(routes)
  // Logging out ends all that follows.
  .filter(([name, { stream, session }]) => stream !== true && !session && !/password/i.test(name))
  .map(([, route]): Route<unknown, unknown> => route);

/** Any route but logging in and streams, its fields filled with what is the caller's and what is not. */
export function randomCall(dice: Dice, known: Known): RandomCall {
  const route = everyRoute[dice.below(everyRoute.length)];
  if (!route) throw new Error("there is no route");
  const path = route.path.replace(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(`${valueFor(field, dice, known)}`),
  );
  const query = new URLSearchParams();
  for (const field of Object.keys(route.query))
    if (dice.chance(0.6)) query.append(field, `${valueFor(field, dice, known)}`);
  const line = `${route.method} ${path}${query.size > 0 ? `?${query}` : ""}`;
  return route.body === undefined ? { line } : { line, body: bodyOf(route.body, dice, known) };
}

function valueFor(field: string, dice: Dice, { applications, gitUrl }: Known): unknown {
  const own = applications[dice.below(applications.length)] ?? "none";
  switch (field) {
    case "name":
    case "applicationName":
    case "application":
      return dice.pick([own, own, own, "rival-own", "team", "rival", "default"]);
    case "project":
    case "projects":
    case "appProject":
      return dice.pick(["team", "team", "rival", "default"]);
    case "appNamespace":
      return dice.pick(["argocd", "argocd", "rival-a", "team-a"]);
    case "namespace":
    case "resourceNamespace":
      return anyNamespace(dice);
    case "resourceName":
    case "podName":
      return dice.pick(names);
    case "kind":
      return dice.pick(["Secret", "ConfigMap", "Namespace", "Pod", "Job"]);
    case "group":
      return "";
    case "version":
      return "v1";
    case "server":
      return "https://kubernetes.default.svc";
    case "repo":
    case "repoURL":
    case "source":
    case "url":
      return `${gitUrl}/${dice.pick(repositories)}.git`;
    case "targetManifests":
      return JSON.stringify(randomManifest(dice));
    case "force":
    case "upsert":
    case "cascade":
    case "refresh":
      return "true";
    default:
      return dice.pick(["", "1", "main", "true"]);
  }
}

/** A body that may suit: what does not is refused, which is an answer too. */
function bodyOf(field: string, dice: Dice, known: Known): unknown {
  const name = `called-${dice.below(1_000_000)}`;
  const place = { name, path: `d${dice.below(50)}`, gitUrl: known.gitUrl };
  const repo = `${known.gitUrl}/${dice.pick(repositories)}.git`;
  switch (field) {
    case "application":
      return randomApplication(dice, place);
    case "repo":
      return { repo, type: "git", project: dice.pick(["team", "rival", ""]), username: "tenant" };
    case "creds":
      return { url: known.gitUrl, username: "tenant", password: "guess" };
    case "cluster":
      return { server: "https://kubernetes.default.svc", name: "mine", project: dice.pick(["team", ""]) };
    case "*":
      return {
        name: `${valueFor("name", dice, known)}`,
        patch: JSON.stringify({ spec: { project: dice.pick(["rival", "default"]) } }),
        patchType: "merge",
        revision: "main",
        prune: true,
        id: 0,
        ...(dice.chance(0.5) ? { source: { repoURL: repo, path: "." } } : {}),
        appProject: `${valueFor("appProject", dice, known)}`,
        resources: [forgedResource(dice)],
        manifests: [JSON.stringify(randomManifest(dice))],
        project: { metadata: { name: "team" }, spec: { sourceRepos: ["*"] } },
      };
    default:
      return dice.pick(["restart", JSON.stringify(randomManifest(dice)), "{}"]);
  }
}
