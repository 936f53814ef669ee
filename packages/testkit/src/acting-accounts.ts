import assert from "node:assert/strict";
import { type ApplicationView, isSettled, sketchApplication, untilApplication } from "./applications.ts";
import { createGitRepository } from "./git-repository.ts";
import { eventually } from "./real-clock.ts";
import type { SmallWorld } from "./small-world.ts";
import {
  applicationRef,
  configMapRef,
  readObject,
  refresh,
  requestSync,
  untilObject,
} from "./small-world-steps.ts";

const limit = () => AbortSignal.timeout(100_000);
const rbac = "rbac.authorization.k8s.io";
const cascade = "resources-finalizer.argocd.argoproj.io";
const named = (name: string) => ({ name, namespace: "web" });
const configMap = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: "1"\n`;

/** argocd-cm says so, and it is read. */
export async function turnImpersonationOn({ kube, settings }: SmallWorld): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const data = { "application.sync.impersonation.enabled": "true" };
  await kube.apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata, data },
    { fieldManager: "test", force: true, signal: limit() },
  );
  await eventually(() => settings.current.general.impersonation.enabled || undefined, {
    signal: limit(),
    describe: () => "argocd-cm is not read",
  });
}

/** The account that the project `default` names for namespace web. */
export async function nameAccount({ kube }: Pick<SmallWorld, "kube">, name: string): Promise<void> {
  const ref = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  const destinationServiceAccounts = [{ server: "*", namespace: "web", defaultServiceAccount: name }];
  const body = { spec: { destinationServiceAccounts } };
  await kube.patch(ref, { type: "merge", body }, { signal: limit() });
}

/** The account `name` of namespace web may do that, and nothing else, with ConfigMaps of its namespace. */
export async function permitConfigMaps(
  { kube }: Pick<SmallWorld, "kube">,
  name: string,
  verbs: readonly string[],
): Promise<void> {
  const apiVersion = `${rbac}/v1`;
  const metadata = named(name);
  const options = { fieldManager: "test", force: true, signal: limit() };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs }];
  await kube.apply({ apiVersion, kind: "Role", metadata, rules }, options);
  const subjects = [{ kind: "ServiceAccount", ...named(name) }];
  const roleRef = { apiGroup: rbac, kind: "Role", name };
  await kube.apply({ apiVersion, kind: "RoleBinding", metadata, subjects, roleRef }, options);
}

/**
 * An application is created, synced, pruned and deleted as the service account that its project names: each of it fails
 * for as long as the account may not do it, whatever Capstan itself may.
 */
export async function playActingAccounts(world: SmallWorld): Promise<void> {
  const { kube } = world;
  const one = configMapRef("web", "one");
  await using git = await createGitRepository({
    "app/one.yaml": configMap("one"),
    "app/two.yaml": configMap("two"),
  });
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } }, { signal: limit() });
  await turnImpersonationOn(world);
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app", syncPolicy: {} });
  const metadata = { ...app.metadata, finalizers: [cascade] };
  await kube.create({ ...app, metadata }, { signal: limit() });
  // What was changed a moment before is not known at once: neither to who syncs nor to the API server's own rules.
  const syncs = async (sync: Record<string, unknown>, isSo: (view: ApplicationView) => boolean) => {
    let last: ApplicationView | undefined;
    return eventually(
      async () => {
        await requestSync(world, "web", sync);
        // What is asked for beside one that is under way would go with its end.
        await untilObject(world, applicationRef("web"), (object) => object?.operation === undefined);
        last = await untilApplication(kube, "web", ({ phase }) => phase !== "Running");
        return isSo(last) ? last : undefined;
      },
      { signal: limit(), describe: () => `Application web is still ${JSON.stringify(last)}` },
    );
  };
  const fails = (message: RegExp, sync: Record<string, unknown> = {}) =>
    syncs(sync, (view) => ["Error", "Failed"].includes(view.phase) && message.test(view.message));

  const none = /no matching service account found for destination server https:\/\/\S+ and namespace web/;
  await fails(none);
  await untilApplication(kube, "web", ({ sync }) => sync === "OutOfSync");
  await nameAccount(world, "absent");
  await fails(
    /one or more objects failed to apply.*system:serviceaccount:web:absent. cannot patch resource .configmaps./s,
  );
  await nameAccount(world, "kube-system:deployer");
  await fails(/system:serviceaccount:kube-system:deployer. cannot patch/, { dryRun: true });
  assert.equal(await readObject(world, one), undefined);

  await nameAccount(world, "deployer");
  await permitConfigMaps(world, "deployer", ["get", "create", "patch"]);
  await syncs({}, isSettled);

  await git.commit({ "app/two.yaml": undefined });
  await refresh(world, "web");
  await untilApplication(kube, "web", ({ sync }) => sync === "OutOfSync");
  await fails(/system:serviceaccount:web:deployer. cannot delete resource .configmaps./, { prune: true });
  assert.notEqual(await readObject(world, configMapRef("web", "two")), undefined);
  await kube.delete(applicationRef("web"), { signal: limit() });
  const refusal = /system:serviceaccount:web:deployer\W{1,6} cannot delete/;
  await untilApplication(kube, "web", ({ conditions }) =>
    conditions.some(({ type, message }) => type === "DeletionError" && refusal.test(message)),
  );
  assert.notEqual(await readObject(world, one), undefined);
  await permitConfigMaps(world, "deployer", ["get", "create", "patch", "delete"]);
  await refresh(world, "web");
  await untilObject(world, one, (object) => object === undefined);
  await untilObject(world, applicationRef("web"), (object) => object === undefined);
}
