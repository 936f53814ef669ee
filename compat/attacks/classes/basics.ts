/** Attacks that every later one builds on: if one of these succeeds, the others prove nothing. */
import type { Attack } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { asks } from "../request.ts";

export const attacks: readonly Attack[] = [
  {
    id: "basics/an-ordinary-application",
    threat:
      "A tenant deploys what the project allows: this works, so that a refusal elsewhere means something",
    heldBy: "nothing: it is permitted",
    play: deploys("ordinary", { files: () => ({ "app/a.yaml": fineConfigMap }), ends: { harmless: true } }),
  },
  {
    id: "basics/a-foreign-repository",
    threat: "A tenant names a repository that only another project may use",
    heldBy: "the project's sourceRepos, asked for each source",
    advisories: ["CVE-2025-55190"],
    play: deploys("foreign-repository", {
      source: ({ gitUrl }) => ({ repoURL: `${gitUrl}/rival-app.git`, path: "." }),
      ends: { refused: /is not permitted in project/ },
    }),
  },
  {
    id: "basics/a-foreign-application",
    threat: "An account reads an application of another project, or one that does not exist",
    heldBy: "the right is asked on the stored object; absence and refusal have one answer",
    play: asks({
      who: "bob",
      method: "GET",
      path: () => "/api/v1/applications/ordinary",
      status: [403],
      says: /permission denied/,
    }),
  },
  {
    id: "basics/no-account",
    threat: "Somebody without an account lists applications",
    heldBy: "every route is closed unless it says that it is open",
    play: asks({ who: "nobody", method: "GET", path: () => "/api/v1/applications", status: [401] }),
  },
];
