import { readFile } from "node:fs/promises";
import { type Policy, parsePolicy } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { readSettings, textsIn } from "@capstan/kube";
import { messageOf, parseYaml } from "@capstan/model";
import { ExitError, type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { openCluster } from "./open-cluster.ts";

/** Where `admin settings rbac` finds a policy: a file or a cluster. */
export const policyFlags = {
  "policy-file": {
    kind: "string",
    value: "FILE",
    help: "A policy.csv, or a ConfigMap such as argocd-rbac-cm as YAML",
  },
  namespace: { kind: "string", short: "n", help: "Read argocd-rbac-cm of this namespace instead" },
  kubeconfig: {
    kind: "string",
    value: "FILE",
    help: "With --namespace: which clusters there are",
    byDefault: "$KUBECONFIG, ~/.kube/config",
  },
  context: { kind: "string", help: "With --namespace: which of them" },
} as const;

type Given = FlagValues<typeof policyFlags>;

export interface PolicyFound {
  readonly policy: Policy;
  readonly defaultRole: string;
  readonly matchMode: "glob" | "regex";
  /** No line says anything. */
  readonly isEmpty: boolean;
}

/** Both commands of argocd end with 1 whatever has failed. */
export function fatal(message: string): ExitError {
  return new ExitError(`error: ${message}`, 1);
}

export async function readPolicy(given: Given, io: Io): Promise<PolicyFound> {
  const { "policy-file": file, namespace } = given;
  if ((file === undefined) === (namespace === undefined))
    throw new UsageError("please provide exactly one of --policy-file or --namespace");
  const { data, name: only } = file === undefined ? await fetchData(given, io) : await readData(file);
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-rbac-cm" }, data };
  const { rbac, problems } = readSettings([map], []);
  for (const { field, problem } of problems) io.err(`warning: ${field} ${problem}\n`);
  const { defaultRole, matchMode } = rbac;
  const isEmpty = rbac.policies.every(({ text }) => text === "");
  const sources = rbac.policies.map(({ name, text }) => ({ name: only ?? name, text }));
  return { policy: parsePolicy(sources, matchMode), defaultRole, matchMode, isEmpty };
}

interface Texts {
  readonly data: Readonly<Record<string, string>>;
  /** Of the file, where it is no ConfigMap. */
  readonly name?: string;
}

/** What is no object in YAML is a policy of lines (cmd/argocd/commands/admin/settings_rbac.go getPolicyFromFile). */
async function readData(file: string): Promise<Texts> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw fatal(`error opening policy file: ${messageOf(error)}`);
  });
  const object = tryYaml(text);
  return isRecord(object) ? { data: textsIn(object.data) } : { data: { "policy.csv": text }, name: file };
}

function tryYaml(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    // Lines of a policy need be no YAML.
    return undefined;
  }
}

async function fetchData(given: Given, io: Io): Promise<Texts> {
  await using cluster = await openCluster(given, io).catch((error: unknown) => {
    throw fatal(`could not create k8s client: ${messageOf(error)}`);
  });
  const { client, namespace } = cluster;
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "argocd-rbac-cm" };
  const found = await client.get(ref, io.signal).catch((error: unknown) => {
    throw fatal(`could not get configmap: ${messageOf(error)}`);
  });
  if (found === undefined) throw fatal(`could not get configmap: ${namespace} has no argocd-rbac-cm`);
  return { data: textsIn(found.data) };
}
