/** Whoever is not asked consents. */
import type { Attack, Who } from "../attack.ts";
import { asks } from "../request.ts";

/** Consents to whatever the application of the basics would prune. */
const allowsPruning = (who: Who): Attack["play"] =>
  asks({
    who,
    method: "PATCH",
    path: () => "/api/v1/applications/ordinary",
    body: () => ({
      name: "ordinary",
      patchType: "merge",
      patch: JSON.stringify({
        metadata: {
          annotations: { "capstan.dev/prune-allowed": `99-${"0".repeat(20)}@2026-01-01T00:00:00Z` },
        },
      }),
    }),
    status: [403],
    says: /permission denied/,
  });

export const attacks: readonly Attack[] = [
  {
    id: "consent/to-prune-what-is-anothers",
    threat: "A tenant allows that an application of another project prunes more than it may",
    heldBy: "the consent is an annotation of the application, whose change takes the right to update it",
    play: allowsPruning("bob"),
  },
  {
    id: "consent/to-prune-by-who-may-only-sync",
    threat: "An account that may only see and sync an application allows that it prunes more than it may",
    heldBy: "the consent takes the right to update the application",
    play: allowsPruning("carol"),
  },
];
