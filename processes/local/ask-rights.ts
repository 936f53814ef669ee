import { isRecord } from "@capstan/formats";
import { crds, type Manifest } from "@capstan/model";
import { type InstallationChoice, readBase } from "../install/base.ts";
import type { Finding } from "./examine.ts";
import type { Examined } from "./examine-cluster.ts";

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
}

const clusterWide: InstallationChoice = { namespaced: false, highAvailability: false, image: "" };
const rbac = "rbac.authorization.k8s.io";

/**
 * Whether the account may do what `capstan install`, `upgrade` and `uninstall` do. `choice`: as it was installed; else
 * cluster-wide is asked, and in its place the installation in one namespace where that alone is permitted.
 */
export async function askRights(
  of: Examined,
  { choice, isInstalled }: { choice: InstallationChoice | undefined; isInstalled: boolean },
): Promise<Finding[]> {
  const what = "rights";
  const lacking = await refused(of, await wantedRights(of, choice ?? clusterWide));
  if (lacking.length === 0)
    return [{ state: "ok", what, found: "suffice for install, upgrade and uninstall" }];
  const found = `the account may not ${lacking.join(", ")}`;
  if (isInstalled)
    return [{ state: "lacks", what, found, todo: "upgrade and uninstall with an account that may" }];
  const namespaced = { ...clusterWide, namespaced: true };
  if (choice === undefined && (await refused(of, await wantedRights(of, namespaced))).length === 0)
    return [
      {
        state: "lacks",
        what,
        found,
        todo: "capstan install --namespaced needs no more, or take an account that may",
      },
    ];
  return [
    { state: "fails", what, found, todo: "install with an account that may, such as one of cluster-admin" },
  ];
}

/** CRDs and namespace are made; of all other kinds uninstall finds and deletes what install has applied. */
async function wantedRights(
  { kube, namespace, signal }: Examined,
  choice: InstallationChoice,
): Promise<Right[]> {
  const objects = await readBase(namespace, { ...choice, highAvailability: true });
  const used: [Manifest, readonly string[]][] = [
    ...crds()
      .slice(0, 1)
      .map((crd): [Manifest, string[]] => [crd, ["get", "create", "patch"]]),
    [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ["create"]],
    ...["Secret", "ConfigMap"].map((kind): [Manifest, string[]] => [
      { apiVersion: "v1", kind, metadata: { name: "x", namespace } },
      everything,
    ]),
    ...objects.map((one): [Manifest, string[]] => [one, everything]),
  ];
  const rights = new Map<string, Right>();
  for (const [{ apiVersion, kind, metadata }, verbs] of used) {
    const row = await kube.discovery.find({ apiVersion, kind }, signal);
    if (row === undefined) continue;
    const { group, resource } = row;
    for (const verb of verbs) {
      const right = { verb, group, resource, namespace: metadata.namespace ?? "" };
      rights.set(nameOf(right), right);
    }
  }
  return [...rights.values()];
}

const everything = ["get", "list", "create", "patch", "delete"];

async function refused(of: Examined, rights: readonly Right[]): Promise<string[]> {
  const answers = await Promise.all(rights.map((one) => isAllowed(of, one)));
  const lacking = rights.filter((_, index) => !answers[index]).map(nameOf);
  if (!rights.some(({ resource }) => resource === "clusterroles")) return lacking;
  // Who gives rights must have them, or may escalate and bind (Kubernetes: RBAC, privilege escalation prevention).
  const all = { verb: "*", group: "*", resource: "*", namespace: "" };
  const mayGive = ["escalate", "bind"].map((verb) => ({
    verb,
    group: rbac,
    resource: "clusterroles",
    namespace: "",
  }));
  const isGiver =
    (await isAllowed(of, all)) ||
    (await Promise.all(mayGive.map((one) => isAllowed(of, one)))).every(Boolean);
  return isGiver ? lacking : [...lacking, "give the controller all rights, which it does not hold itself"];
}

const nameOf = ({ verb, resource, group }: Right): string =>
  `${verb} ${resource}${group === "" ? "" : `.${group}`}`;

async function isAllowed({ kube, signal }: Examined, { namespace, ...right }: Right): Promise<boolean> {
  const review: Manifest = {
    ...{ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: {} },
    spec: { resourceAttributes: { ...right, ...(namespace === "" ? {} : { namespace }) } },
  };
  const { status } = await kube.create(review, { signal });
  return isRecord(status) && status.allowed === true;
}
