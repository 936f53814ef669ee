import { isRecord } from "@capstan/formats";
import { isForbidden, type ObjectRef } from "@capstan/kube";
import { crds, type Manifest, messageOf } from "@capstan/model";
import type { InstallationChoice } from "../install/base.ts";
import { type Installing, isReady, readChoice } from "../install/installation.ts";
import { ownVersion } from "../surroundings/own-process.ts";
import { askRights } from "./ask-rights.ts";
import type { Finding } from "./examine.ts";
import { mounted, settings } from "./examine-settings.ts";

/** A cluster, and the namespace in which Capstan is or shall be. */
export type Examined = Omit<Installing, "say">;

const answerLimitMs = 15_000;
/** Two of them do things twice where they look after the same Applications. */
const controllers = /controller$/;

/** What of a cluster an installation needs and has, in the order in which a person would mend it. Changes nothing. */
export async function examineCluster(of: Examined): Promise<Finding[]> {
  const reached = await reach(of);
  if (reached.state === "fails") return [reached];
  const asked = workloads(of);
  const ownOf = (all: readonly Manifest[]): Manifest[] =>
    all.filter((one) => isOf(one, "capstan") && one.metadata.namespace === of.namespace);
  // Where they cannot be seen, each check that rests on them says so.
  const own = ownOf(await asked.catch(() => []));
  const isInstalled = own.length > 0;
  const checks: [string, () => Promise<Finding[]>][] = [
    ["CRDs", () => Promise.all(crds().map((crd) => definition(of, crd, isInstalled)))],
    ["rights", async () => askRights(of, { choice: await choiceIn(of), isInstalled })],
    ["namespace", () => namespace(of)],
    ["parts", async () => parts(of, ownOf(await asked))],
    ["token", () => mounted(of, own)],
    ["settings", () => settings(of, isInstalled)],
    [
      "Argo CD",
      async () =>
        argocd(
          of,
          (await asked).filter((one) => isOf(one, "argocd")),
          isInstalled,
        ),
    ],
  ];
  const found = await Promise.all(checks.map(([what, check]) => guarded(what, check, of)));
  return [reached, ...found.flat()];
}

/** As it was installed; undefined too where the account may not see it. */
async function choiceIn(of: Examined): Promise<InstallationChoice | undefined> {
  try {
    return await readChoice({ ...of, say: () => undefined });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return undefined;
  }
}

async function reach({ kube, signal }: Examined): Promise<Finding> {
  const what = "cluster";
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(answerLimitMs)]);
    const { body } = await kube.request({ method: "GET", url: "/version", signal: limited });
    const said: unknown = typeof body === "string" ? JSON.parse(body) : {};
    const version = isRecord(said) ? said.gitVersion : undefined;
    if (typeof version !== "string") throw new Error("what answers is no Kubernetes");
    return { state: "ok", what, found: `Kubernetes ${version}` };
  } catch (error) {
    signal.throwIfAborted();
    return {
      state: "fails",
      what,
      found: messageOf(error),
      todo: "look at the address and the credentials of the kubeconfig's context",
    };
  }
}

/** A check that is refused or fails says so in its place; the others go on. */
async function guarded(
  what: string,
  check: () => Promise<Finding[]>,
  { signal }: Examined,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    signal.throwIfAborted();
    const todo = isForbidden(error)
      ? "look with an account that may read it"
      : "look again, or at the API server";
    return [{ state: "lacks", what, found: `cannot be looked at: ${messageOf(error)}`, todo }];
  }
}

const isOf = ({ metadata }: Manifest, program: string): boolean =>
  metadata.labels?.["app.kubernetes.io/part-of"] === program;

/** Of Capstan and Argo CD; of the namespace alone for an account that may not see the others. */
async function workloads({ kube, namespace: own, signal }: Examined): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const kind of ["Deployment", "StatefulSet"]) {
    const query = {
      ...{ apiVersion: "apps/v1", kind },
      labelSelector: "app.kubernetes.io/part-of in (argocd, capstan)",
    };
    const list = await kube.list(query, signal).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      return kube.list({ ...query, namespace: own }, signal);
    });
    found.push(...list.items);
  }
  return found;
}

async function definition(
  { kube, signal }: Examined,
  wanted: Manifest,
  isInstalled: boolean,
): Promise<Finding> {
  const { name = "" } = wanted.metadata;
  const what = "CRD";
  const apply = "capstan install and upgrade apply it, or kubectl apply --server-side -k deploy/crds";
  const live = await kube.get(refOf(wanted), signal);
  if (live === undefined) {
    const isNeeded = isInstalled && name.endsWith(".argoproj.io");
    return { state: isNeeded ? "fails" : "lacks", what, found: `${name} is not there`, todo: apply };
  }
  const owner = isOf(live, "argocd") ? "Argo CD's" : isOf(live, "capstan") ? "Capstan's" : "somebody's";
  const versions = isRecord(live.spec) && Array.isArray(live.spec.versions) ? live.spec.versions : [];
  if (!versions.some((one) => isRecord(one) && one.name === "v1alpha1" && one.served === true))
    return { state: "fails", what, found: `${name}: v1alpha1 is not served (${owner})`, todo: apply };
  const fieldManager = "capstan-install";
  try {
    // A write that changes nothing leaves the generation as it is.
    const next = await kube.apply(wanted, { fieldManager, force: true, dryRun: true, signal });
    if (next.metadata.generation === live.metadata.generation)
      return { state: "ok", what, found: `${name}, as this version has it` };
    return { state: "lacks", what, found: `${name} is ${owner}, of another version`, todo: apply };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { state: "ok", what, found: `${name}, ${owner}; its version could not be compared` };
  }
}

const refOf = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
});

async function namespace({ kube, namespace: name, signal }: Examined): Promise<Finding[]> {
  const what = "namespace";
  const found = await kube.get({ apiVersion: "v1", kind: "Namespace", name }, signal);
  if (found === undefined)
    return [{ state: "lacks", what, found: `${name} is not there`, todo: "capstan install makes it" }];
  if (found.metadata.deletionTimestamp !== undefined)
    return [
      {
        ...{ state: "fails", what, found: `${name} is being deleted` },
        todo: "wait until it is gone: Applications with a finalizer in it need a running controller",
      },
    ];
  return [{ state: "ok", what, found: name }];
}

async function parts(of: Examined, own: readonly Manifest[]): Promise<Finding[]> {
  const { namespace: name, kube, signal } = of;
  if (own.length === 0)
    return [
      {
        state: "lacks",
        what: "parts",
        found: `Capstan is not installed in ${name}`,
        todo: "capstan install, or the chart",
      },
    ];
  const query = {
    apiVersion: "v1",
    kind: "Pod",
    namespace: name,
    labelSelector: "app.kubernetes.io/part-of=capstan",
  };
  const pods = (await kube.list(query, signal)).items;
  return own.map((part) => readiness(part, pods));
}

function readiness(part: Manifest, pods: readonly Manifest[]): Finding {
  const { name = "", labels = {} } = part.metadata;
  const spec = isRecord(part.spec) ? part.spec : {};
  const status = isRecord(part.status) ? part.status : {};
  const version = labels["app.kubernetes.io/version"] ?? "of an unknown version";
  const wanted = Number(spec.replicas ?? 1);
  const found = `${name} ${version}: ${Number(status.readyReplicas ?? 0)} of ${wanted} ready`;
  const what = "part";
  if (wanted === 0)
    return {
      state: "lacks",
      what,
      found: `${name} is scaled to 0`,
      todo: `kubectl scale --replicas=1 deployment/${name}`,
    };
  if (!isReady(part)) {
    const own = pods.filter(({ metadata }) => metadata.name?.startsWith(`${name}-`));
    const why = own.map(whyNotReady).find((one) => one !== undefined);
    return {
      ...{ state: "fails", what, found: why === undefined ? found : `${found}: ${why}` },
      todo: `kubectl describe pods -n ${part.metadata.namespace} -l app.kubernetes.io/name=${labels["app.kubernetes.io/name"] ?? name}`,
    };
  }
  if (version === ownVersion()) return { state: "ok", what, found };
  return {
    state: "lacks",
    what,
    found,
    todo: `this is ${ownVersion()}: capstan upgrade, or the doctor of that version`,
  };
}

/** What the kubelet says of its first container that is held up. */
function whyNotReady({ status }: Manifest): string | undefined {
  const containers =
    isRecord(status) && Array.isArray(status.containerStatuses) ? status.containerStatuses : [];
  for (const one of containers) {
    const state = isRecord(one) && isRecord(one.state) ? one.state : {};
    const held = [state.waiting, state.terminated].find(isRecord);
    if (held !== undefined)
      return [held.reason, held.message].filter((text) => typeof text === "string").join(": ");
  }
  return undefined;
}

function argocd({ namespace: own }: Examined, others: readonly Manifest[], isInstalled: boolean): Finding[] {
  const what = "Argo CD";
  const running = others.filter(({ spec }) => !isRecord(spec) || Number(spec.replicas ?? 1) > 0);
  const here = running.filter(({ metadata }) => metadata.namespace === own);
  const named = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
  const twice = here.filter(({ metadata }) => controllers.test(metadata.name ?? ""));
  const found: Finding[] = [];
  if (twice.length > 0)
    found.push({
      state: isInstalled ? "fails" : "lacks",
      what,
      found: `${twice.map(named).join(", ")} ${twice.length === 1 ? "runs" : "run"} in ${own}: ${isInstalled ? "each Application has two masters, which sync and prune it by turns" : "with Capstan beside it each Application would have two masters"}`,
      todo: `kubectl scale -n ${own} --replicas=0 ${twice.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`).join(" ")}, or install Capstan in another namespace`,
    });
  const elsewhere = [...new Set(running.map(({ metadata }) => metadata.namespace ?? ""))].filter(
    (one) => one !== own,
  );
  if (elsewhere.length > 0)
    found.push({
      state: "ok",
      what,
      found: `in ${elsewhere.join(", ")}, with Applications of its own; the CRDs are shared`,
    });
  return found.length > 0
    ? found
    : [{ state: "ok", what, found: here.length > 0 ? "no controller of it runs" : "none beside" }];
}
