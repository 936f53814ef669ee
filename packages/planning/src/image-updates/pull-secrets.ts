import { execFile } from "node:child_process";
import type { PullSecret } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { type KubeClient, secretTexts } from "@capstan/kube";
import { dockerLogin, type RegistryLogin, readLogin } from "./docker-login.ts";

export interface PullSecretNeeds {
  readonly kube: Pick<KubeClient, "get">;
  readonly clock: Clock;
  /** The control namespace, whose Secrets are the operator's. */
  readonly namespace: string;
  /** Variables that registries.conf may name. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** On a Secret of the control namespace: applications may name it, for a registry or to push with. */
export const operatorLabel = "capstan.dev/image-updates";

const programLimits = { timeout: 30_000, maxBuffer: 64 * 1024 };

interface Wanted {
  readonly secret: PullSecret;
  /** Names under which docker's files have the registry. */
  readonly hosts: readonly string[];
  /** Of the application that names it; undefined: the operator does, in registries.conf. */
  readonly asker: string | undefined;
}

/**
 * Credentials for a registry from wherever they are. An application may name Secrets of its own namespace alone; in
 * the control namespace, where Capstan's own are, only those that the operator has marked, or docker's, whose logins
 * are for hosts that stand in them. The process's variables and programs are the operator's.
 */
export async function fetchLogin(
  needs: PullSecretNeeds,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<RegistryLogin> {
  const { secret, hosts, asker } = wanted;
  if (secret.kind === "env" || secret.kind === "ext") {
    if (asker !== undefined)
      throw new Error(
        `pull-secret: ${secret.kind}: is for the operator's registries.conf alone: name a Secret`,
      );
    const text = secret.kind === "env" ? needs.env[secret.name] : await runProgram(secret.program, signal);
    const login = readLogin(text ?? "");
    if (login) return login;
    throw new Error(`${secret.kind}: it gave no USER:PASSWORD`);
  }
  const shown = `Secret ${secret.namespace}/${secret.name}`;
  if (asker !== undefined && asker !== secret.namespace)
    throw new Error(
      `pull-secret: ${shown} is of another namespace: an application may name those of ${asker} alone`,
    );
  const object = await fetchSecret(needs, secret, signal);
  const texts = secretTexts(object);
  if (secret.kind === "pullsecret") {
    const config = texts[".dockerconfigjson"];
    if (config === undefined)
      throw new Error(`pull-secret: ${shown} is not of type kubernetes.io/dockerconfigjson`);
    const login = dockerLogin(config, hosts);
    if (login) return login;
    throw new Error(`pull-secret: ${shown} has no login for ${hosts[0]}`);
  }
  const isMarked = object.metadata.labels?.[operatorLabel] === "true";
  if (asker === needs.namespace && !isMarked)
    throw new Error(
      `pull-secret: ${shown} is not for applications: its content would be sent to the registry. The operator may allow it by the label ${operatorLabel}: "true"`,
    );
  const login = readLogin(texts[secret.field] ?? "");
  if (login) return login;
  throw new Error(`pull-secret: ${shown} has no USER:PASSWORD in ${secret.field}`);
}

async function fetchSecret(
  { kube }: PullSecretNeeds,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
) {
  const found = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  if (found) return found;
  throw new Error(`pull-secret: there is no Secret ${namespace}/${name}`);
}

/** Of registries.conf: what it prints is a login (argocd-image-updater: ext). */
function runProgram(program: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [], { ...programLimits, signal }, (error, stdout) => {
      if (error) reject(new Error(`ext: the program for credentials failed: ${error.code ?? error.name}`));
      else resolve(stdout);
    });
  });
}
