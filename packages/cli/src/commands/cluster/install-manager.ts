import type { Clock } from "@capstan/flow";
import { type KubeClient, secretTexts } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { ExitError } from "../../command.ts";

/** Names as argocd gives them (util/clusterauth/clusterauth.go). */
const account = "argocd-manager";
const role = "argocd-manager-role";
const binding = "argocd-manager-role-binding";

interface Input {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where the account is. */
  readonly namespace: string;
}

/** Makes the account by which a cluster is managed, with all rights in it or in some namespaces; its token. */
export async function installManager({
  namespaces,
  say,
  ...input
}: Input & { namespaces: readonly string[]; say(text: string): void }): Promise<string> {
  const { client, namespace, signal } = input;
  for (const object of managerObjects(namespace, namespaces)) {
    await client.apply(object, { fieldManager: "argocd-manager", force: true, signal });
    const { kind, metadata } = object;
    const place = metadata.namespace ? ` in namespace "${metadata.namespace}"` : "";
    say(`${kind} "${metadata.name}" applied${place}\n`);
  }
  return accountToken(input, account);
}

function managerObjects(namespace: string, namespaces: readonly string[]): Manifest[] {
  const rbac = "rbac.authorization.k8s.io/v1";
  const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: role });
  const own = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } };
  if (namespaces.length === 0)
    return [
      own,
      {
        apiVersion: rbac,
        kind: "ClusterRole",
        metadata: { name: role },
        rules: [everything, { nonResourceURLs: ["*"], verbs: ["*"] }],
      },
      {
        apiVersion: rbac,
        kind: "ClusterRoleBinding",
        metadata: { name: binding },
        roleRef: roleRef("ClusterRole"),
        subjects,
      },
    ];
  return [
    own,
    ...namespaces.flatMap((each): Manifest[] => [
      {
        apiVersion: rbac,
        kind: "Role",
        metadata: { name: role, namespace: each },
        rules: [everything],
      },
      {
        apiVersion: rbac,
        kind: "RoleBinding",
        metadata: { name: binding, namespace: each },
        roleRef: roleRef("Role"),
        subjects,
      },
    ]),
  ];
}

const waitMs = 30_000;
const everyMs = 500;

/** The token of the Secret that is kept for an account; the Secret is made where there is none. */
export async function accountToken(
  { client, clock, namespace, signal }: Input,
  serviceAccount: string,
): Promise<string> {
  const name = `${serviceAccount}-long-lived-token`;
  const ref = { apiVersion: "v1", kind: "Secret", namespace, name };
  if (!(await client.get(ref, signal)))
    await client.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        type: "kubernetes.io/service-account-token",
        metadata: {
          name,
          namespace,
          annotations: { "kubernetes.io/service-account.name": serviceAccount },
        },
      },
      { signal },
    );
  for (let waited = 0; waited < waitMs; waited += everyMs) {
    const secret = await client.get(ref, signal);
    const { token } = secret ? secretTexts(secret) : {};
    if (token !== undefined) return token;
    await clock.sleep(everyMs, signal);
  }
  throw new ExitError(
    `the cluster has put no token into Secret ${namespace}/${name} within ${waitMs / 1000} s: does the account "${serviceAccount}" exist?`,
    20,
  );
}
