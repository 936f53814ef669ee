import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";

/** bcrypt of `password`. */
const passwordHash = "$2a$10$dF62WMH8xV/Iykit07xFyOnLBbUAf/wQdi0oniWIlxmw6287sPM9C";
const namespace = "argocd";
const labels = { "app.kubernetes.io/part-of": "argocd" };
const limitMs = 60_000;

const config = (name: string, data: Readonly<Record<string, string>>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels },
  data,
});

const settings: readonly Manifest[] = [
  config("argocd-cm", {
    "accounts.alice": "login, apiKey",
    "accounts.robot": "apiKey",
    "timeout.reconciliation": "20s",
    "timeout.reconciliation.jitter": "0s",
  }),
  config("argocd-tls-certs-cm", {}),
  config("argocd-ssh-known-hosts-cm", {}),
  config("argocd-gpg-keys-cm", {}),
  config("argocd-rbac-cm", {
    "policy.csv": ["p, role:viewer, applications, get, shop/*, allow", "g, alice, role:viewer"].join("\n"),
  }),
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "argocd-secret", namespace, labels },
    stringData: {
      "admin.password": passwordHash,
      "admin.passwordMtime": "2026-01-01T00:00:00Z",
      "accounts.alice.password": passwordHash,
      "accounts.alice.passwordMtime": "2026-01-01T00:00:00Z",
    },
  },
];

/** The same settings, accounts and policies in both worlds. Everybody's password is `password`. */
export async function fillWorld(kube: KubeClient): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  for (const object of settings) await kube.apply(object, { fieldManager: "compat", force: true, signal });
}
