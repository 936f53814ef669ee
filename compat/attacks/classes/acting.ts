/** What an application does beyond the rights of the service account that acts for it. */
import type { Attack } from "../attack.ts";
import { configMap } from "../config-maps.ts";
import { type Deployment, deploys } from "../deploy.ts";

const files = () => ({ "app/a.yaml": configMap({ name: "own" }) });
const names = "what is no name of a service account in its namespace is refused, and never sent";

function refused(name: string, says: RegExp): Deployment {
  const absent = [{ apiVersion: "v1", kind: "ConfigMap", namespace: `team-${name}`, name: "own" }];
  return { files, ends: { refused: says }, absent };
}

export const attacks: readonly Attack[] = [
  {
    id: "acting/more-than-the-account-may",
    threat:
      "A repository holds an object that its project permits, and the service account of its destination may not write",
    heldBy: "every request that changes a cluster is made as that account, which the API server judges",
    play: deploys(
      "acting-less",
      refused("acting-less", /system:serviceaccount:team-acting-less:nobody. cannot/),
    ),
  },
  {
    id: "acting/a-namespace-that-names-an-account",
    threat: "An application's destination namespace holds the name of another namespace's service account",
    heldBy: names,
    play: deploys("acting-namespace", {
      files,
      application: () => ({
        spec: { destination: { server: "https://kubernetes.default.svc", namespace: "team-acting:default" } },
      }),
      ends: { refused: /invalid chars|namespace/ },
    }),
  },
  {
    id: "acting/the-group-of-masters",
    threat: "A project's service account is written like the group of administrators",
    heldBy: "it is the account masters of a namespace system, which has no rights",
    play: deploys(
      "acting-masters",
      refused("acting-masters", /system:serviceaccount:system:masters. cannot/),
    ),
  },
  {
    id: "acting/a-header-behind-the-account",
    threat:
      "A project's service account holds a line break and a header that makes its requests an administrator's",
    heldBy: names,
    play: deploys("acting-header", refused("acting-header", /invalid chars/)),
  },
  {
    id: "acting/an-account-by-way-up",
    threat: "A project's service account is a way up into another namespace",
    heldBy: names,
    play: deploys("acting-way", refused("acting-way", /invalid chars/)),
  },
];
