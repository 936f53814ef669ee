import { defineCommand, ExitError, type Flags, type FlagValues, type Io } from "@capstan/cli/record";
import { createKubeClient, httpTransport, openKubeconfig, readKubeconfig } from "@capstan/kube";
import { apiFlags } from "../surroundings/api-options.ts";
import { clusterFlag, findCluster } from "../surroundings/find-cluster.ts";
import { ownVersion } from "../surroundings/own-process.ts";
import type { InstallationChoice } from "./base.ts";
import {
  applyInstallation,
  type Installing,
  readChoice,
  refuseOthers,
  removeInstallation,
  waitForParts,
} from "./installation.ts";

const placeFlags = {
  kubeconfig: clusterFlag,
  context: { kind: "string", value: "NAME", help: "Of the kubeconfig (default: its current one)" },
  namespace: { ...apiFlags.namespace, help: "Where Capstan is, and Applications, projects and settings" },
} as const satisfies Flags;

const choiceFlags = {
  ...placeFlags,
  namespaced: { kind: "boolean", help: "With rights in that namespace alone; further clusters are Secrets" },
  "high-availability": {
    kind: "boolean",
    help: "Two and more of each part, so that the end of one stops nothing",
  },
  image: { kind: "string", value: "IMAGE", help: "With tag or digest", byDefault: `capstan:${ownVersion()}` },
  timeout: {
    kind: "integer",
    value: "SECONDS",
    range: [0, 86_400],
    help: "How long to wait until all parts are ready; 0 = do not wait",
    byDefault: "300",
  },
} as const satisfies Flags;

type ChoiceValues = FlagValues<typeof choiceFlags>;

export const install = defineCommand({
  usage: "",
  help: "Install Capstan on a cluster: CRDs, accounts with their rights, and all parts, by server-side apply.",
  notes:
    "The same as deploy/capstan/cluster-wide with Kustomize. What is chosen is kept in the ConfigMap capstan-installation.\n",
  examples: ["capstan install --kubeconfig prod.yaml --image registry.example.com/capstan:0.1.0"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: choiceFlags,
  run: ({ flags, io }) =>
    onCluster(flags, io, async (of) => {
      if (await readChoice(of))
        throw new ExitError(`Capstan is installed in ${of.namespace}: capstan upgrade changes it`, 1);
      await refuseOthers(of);
      await apply(of, flags, { namespaced: false, highAvailability: false, image: "" });
    }),
});

export const upgrade = defineCommand({
  usage: "",
  help: "Bring what capstan install has made to this version; what was chosen then stays, unless it is said again.",
  examples: ["capstan upgrade --kubeconfig prod.yaml --image registry.example.com/capstan:0.2.0"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: choiceFlags,
  run: ({ flags, io }) =>
    onCluster(flags, io, async (of) => {
      await apply(of, flags, await formerChoice(of));
    }),
});

export const uninstall = defineCommand({
  usage: "",
  help: "Take away what capstan install has made. CRDs, Applications, projects and settings stay.",
  examples: ["capstan uninstall --kubeconfig prod.yaml"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: placeFlags,
  run: ({ flags, io }) =>
    onCluster(flags, io, async (of) => {
      await formerChoice(of);
      await removeInstallation(of);
      of.say(`left as they are: the namespace ${of.namespace} with Applications, projects and settings (argocd-*), and the CRDs.
Applications with a finalizer need a running Capstan or Argo CD to be deleted. To remove all of it:
  kubectl delete namespace ${of.namespace}
  kubectl delete crd applications.argoproj.io applicationsets.argoproj.io appprojects.argoproj.io pipelines.capstan.dev`);
    }),
});

async function apply(of: Installing, flags: ChoiceValues, former: InstallationChoice): Promise<void> {
  const { namespaced, "high-availability": highAvailability, image, timeout = 300 } = flags;
  await applyInstallation(of, {
    namespaced: namespaced ?? former.namespaced,
    highAvailability: highAvailability ?? former.highAvailability,
    image: image ?? former.image,
  });
  if (timeout === 0) return;
  await waitForParts(of, AbortSignal.timeout(timeout * 1000));
  of.say(`all parts are ready. The page: kubectl port-forward -n ${of.namespace} svc/capstan-server 8080:443, then https://localhost:8080
Password of admin: kubectl get secret -n ${of.namespace} argocd-initial-admin-secret -o jsonpath='{.data.password}' | base64 -d`);
}

async function formerChoice(of: Installing): Promise<InstallationChoice> {
  const former = await readChoice(of);
  if (former === undefined) throw new ExitError(`capstan install has made nothing in ${of.namespace}`, 1);
  return former;
}

/** `act` is given the cluster that the flags name. The result is the exit code 0. */
export async function onCluster(
  { kubeconfig, context, namespace = "argocd" }: FlagValues<typeof placeFlags>,
  { env, clock, signal, out }: Io,
  act: (of: Installing) => Promise<void>,
): Promise<number> {
  const access = findCluster(kubeconfig, env);
  const config =
    "file" in access
      ? (await openKubeconfig(access.file, context)).config
      : readKubeconfig(access.text, { folder: "/" });
  await using transport = httpTransport(config, { clock, env });
  const kube = createKubeClient({ transport, userAgent: `capstan/${ownVersion()}`, clock });
  await act({ kube, namespace, clock, signal, say: (line) => out(`${line}\n`) });
  return 0;
}
