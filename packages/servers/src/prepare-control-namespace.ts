import { randomBytes } from "node:crypto";
import type { Clock } from "@capstan/flow";
import { formatTime, isRecord } from "@capstan/formats";
import { isAlreadyExists, isForbidden, type KubeClient } from "@capstan/kube";
import { argoApiVersion, type Manifest } from "@capstan/model";

export interface PrepareInput {
  kube: KubeClient;
  namespace: string;
  /** Set only where none is set yet. */
  adminPassword: string;
  clock: Clock;
  signal: AbortSignal;
}

const label = { "app.kubernetes.io/part-of": "argocd" };

/** Makes what the API server cannot do without, and leaves what is there: as Argo CD's does when it starts. */
export async function prepareControlNamespace(input: PrepareInput): Promise<void> {
  const { kube, namespace, signal } = input;
  await ensureNamespace(kube, namespace, signal);
  const made = ["argocd-cm", "argocd-rbac-cm"].map((name) =>
    createMissing(
      kube,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: label } },
      signal,
    ),
  );
  await Promise.all([...made, createMissing(kube, defaultProject(namespace), signal), completeSecret(input)]);
}

/** Whoever may do nothing with namespaces is in one that is there. */
async function ensureNamespace(kube: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    await createMissing(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

/** v1alpha1 and server/server.go: everything from everywhere to everywhere. */
function defaultProject(namespace: string): Manifest {
  return {
    apiVersion: argoApiVersion,
    kind: "AppProject",
    metadata: { name: "default", namespace },
    spec: {
      sourceRepos: ["*"],
      destinations: [{ server: "*", namespace: "*" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
    },
  };
}

async function completeSecret({
  kube,
  namespace,
  adminPassword,
  clock,
  signal,
}: PrepareInput): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace, name: "argocd-secret" };
  const existing = await kube.get(ref, signal);
  const held = typeof existing?.data === "object" && existing.data !== null ? Object.keys(existing.data) : [];
  const missing: Record<string, string> = {};
  if (!held.includes("server.secretkey")) missing["server.secretkey"] = randomBytes(32).toString("base64");
  if (!held.includes("admin.password")) {
    const password = await initialPassword({ kube, namespace, adminPassword, signal });
    const { hash } = await import("bcryptjs");
    missing["admin.password"] = await hash(password, 10);
    missing["admin.passwordMtime"] = formatTime(clock.now());
  }
  if (Object.keys(missing).length === 0) return;
  const data = Object.fromEntries(
    Object.entries(missing).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  const { apiVersion, kind, name } = ref;
  const fresh = { apiVersion, kind, metadata: { name, namespace, labels: label }, type: "Opaque", data };
  if (existing === undefined) await createMissing(kube, fresh, signal);
  else await kube.patch(ref, { type: "merge", body: { data } }, { signal });
}

/** Whether the password is the admin's: a cluster that Capstan or Argo CD ran on before has had one. */
export async function adminPasswordHolds({
  kube,
  namespace,
  adminPassword,
  signal,
}: Omit<PrepareInput, "clock">): Promise<boolean> {
  const secret = await kube.get(
    { apiVersion: "v1", kind: "Secret", namespace, name: "argocd-secret" },
    signal,
  );
  const data: unknown = secret?.data;
  const held = isRecord(data) ? data["admin.password"] : undefined;
  if (typeof held !== "string") return false;
  const { compare } = await import("bcryptjs");
  return compare(adminPassword, Buffer.from(held, "base64").toString());
}

/**
 * Where people look for it, and `admin initial-password` of both command lines (util/settings InitializeSettings). What
 * is there already decides: of several servers that begin at once, each would else write another one's password over.
 */
async function initialPassword({
  kube,
  namespace,
  adminPassword,
  signal,
}: Omit<PrepareInput, "clock">): Promise<string> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace, name: "argocd-initial-admin-secret" };
  const data = { password: Buffer.from(adminPassword).toString("base64") };
  const { apiVersion, kind, name } = ref;
  await createMissing(
    kube,
    { apiVersion, kind, metadata: { name, namespace }, type: "Opaque", data },
    signal,
  );
  const there = (await kube.get(ref, signal))?.data;
  const password = isRecord(there) ? Buffer.from(String(there.password ?? ""), "base64").toString() : "";
  if (password !== "") return password;
  await kube.patch(ref, { type: "merge", body: { data } }, { signal });
  return adminPassword;
}

async function createMissing(kube: KubeClient, object: Manifest, signal: AbortSignal): Promise<void> {
  try {
    await kube.create(object, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
